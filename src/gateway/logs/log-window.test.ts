import { expect, test } from "vitest";
import { logWindow } from "./log-window.ts";

test("a page has the numbers of its lines, also after lines that are not known", () => {
  const window = logWindow({ from: 1, count: 10 });
  window.addLines(["zero"]);
  window.skipTo(3);
  window.addLines(["three", "four"]);
  expect(window.page()).toEqual({ lines: ["three", "four"], from: 3, total: 5 });
});

test("the last lines do not span a gap", () => {
  const window = logWindow({ last: 3 });
  window.addLines(["zero"]);
  window.skipTo(3);
  window.addLines(["three", "four"]);
  expect(window.page()).toEqual({ lines: ["three", "four"], from: 3, total: 5 });
});

test("is full when further lines change only the total", () => {
  const window = logWindow({ from: 1, count: 1 });
  window.push(Buffer.from("zero\none"));
  expect(window.isFull()).toBe(false);
  window.push(Buffer.from("\ntwo"));
  expect(window.isFull()).toBe(true);
  window.skipTo(9);
  expect(window.page()).toEqual({ lines: ["one"], from: 1, total: 9 });
});

test("the complete lines of a growing log are taken as they arrive", () => {
  const window = logWindow({ from: 1, count: 10 });
  window.push(Buffer.from("zero\no"));
  expect(window.takeLines()).toEqual({ lines: [], from: 1, total: 1 });
  window.push(Buffer.from("ne\ntwo\nth"));
  expect(window.takeLines()).toEqual({ lines: ["one", "two"], from: 1, total: 3 });
  window.push(Buffer.from("ree\n"));
  expect(window.takeLines()).toEqual({ lines: ["three"], from: 3, total: 4 });
});
