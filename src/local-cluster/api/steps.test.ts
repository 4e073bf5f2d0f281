import { expect, test } from "vitest";
import { runSteps, type Steps, waitFor } from "./steps.ts";

test("steps that do not wait run synchronously", () => {
  function* add(a: number, b: number): Steps<number> {
    if (a > b) yield* waitFor(Promise.resolve());
    return a + b;
  }
  expect(runSteps(add(1, 2))).toBe(3);
});

test("steps continue with the value of a promise", async () => {
  function* sum(): Steps<number> {
    const first = yield* waitFor(Promise.resolve(1));
    const second = yield* waitFor(Promise.resolve(2));
    return first + second;
  }
  await expect(runSteps(sum())).resolves.toBe(3);
});

test("steps catch the reason of a rejected promise, or reject with it", async () => {
  function* caught(): Steps<string> {
    try {
      return yield* waitFor(Promise.reject(new Error("no")));
    } catch (error) {
      return String(error);
    }
  }
  function* thrown(): Steps<string> {
    yield* waitFor(Promise.resolve());
    return yield* waitFor(Promise.reject(new Error("no")));
  }
  await expect(runSteps(caught())).resolves.toBe("Error: no");
  await expect(runSteps(thrown())).rejects.toThrow("no");
});
