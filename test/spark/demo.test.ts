import { describe, expect } from "vitest";
import { run, withSpark } from "../acceptance/programs.ts";
import { testWith } from "../test-with.ts";

describe("the demonstration", () => {
  testWith("a Java compiler")("compiles the Java example and runs it with two executors", async () => {
    const { exit, stdout } = await run("firesteel", ["demo", "java", "4"], {
      env: withSpark({ FIRESTEEL_CLASS_SHARING: "off" }),
    });
    expect(exit, stdout).toBe(0);
    expect(stdout).toMatch(/^\d slices on executor \d$/m);
    const [log = "", summary = ""] = stdout.split("\nPods (");
    expect(log).toMatch(/^Pi is roughly 3\.1\d+\n$/m);
    expect(summary).toMatch(/^ {2}driver +javapi-\S+-driver +127\.\S+ +Succeeded /m);
    expect(summary).toMatch(/^ {2}executor 1 .*\n {2}executor 2 /m);
    expect(summary).toMatch(/^ {2}get an executor +\d+\.\d s$/m);
  });
});
