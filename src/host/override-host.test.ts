import { expect, test } from "vitest";
import { overrideHost } from "./override-host.ts";
import { testHost } from "./test-host.ts";

test("overrides arguments, and does not evaluate getters before use", () => {
  const host = testHost({ argv: ["a"], env: { A: "1" } });
  let lookedUp = 0;
  const user = { ...host.user, name: "eve" };
  const lazy = Object.defineProperty({ ...host }, "user", {
    enumerable: true,
    get: () => {
      lookedUp += 1;
      return user;
    },
  });
  const changed = overrideHost(overrideHost(lazy, { argv: ["b"] }), { env: { A: "2" } });
  expect(lookedUp).toBe(0);
  expect(changed.argv).toEqual(["b"]);
  expect(changed.env).toEqual({ A: "2" });
  expect({ ...changed }.user.name).toBe("eve");
  expect(host.argv).toEqual(["a"]);
});
