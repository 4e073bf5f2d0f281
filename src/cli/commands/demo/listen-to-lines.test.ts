import { expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import { listenToLines } from "./listen-to-lines.ts";

test("lines are told whole, however they come, and go through unchanged", () => {
  const host = testHost();
  const heard: string[] = [];
  const sink = listenToLines(host.stdout, (line) => heard.push(line));
  for (const text of ["Pi is", " roughly 3", "\nnext\n", Buffer.from("unfinished")]) sink.write(text);
  expect(heard).toEqual(["Pi is roughly 3", "next"]);
  expect(host.outText()).toBe("Pi is roughly 3\nnext\nunfinished");
});
