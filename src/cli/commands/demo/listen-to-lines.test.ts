import { expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import { listenToLines } from "./listen-to-lines.ts";

test("reports complete lines from any chunks, and forwards the text unchanged", () => {
  const host = testHost();
  const reported: string[] = [];
  const sink = listenToLines(host.stdout, (line) => reported.push(line));
  for (const text of ["Pi is", " roughly 3", "\nnext\n", Buffer.from("unfinished")]) sink.write(text);
  expect(reported).toEqual(["Pi is roughly 3", "next"]);
  expect(host.outText()).toBe("Pi is roughly 3\nnext\nunfinished");
});
