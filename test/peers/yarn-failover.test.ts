import { expect, test } from "vitest";
import { run, start } from "../acceptance/programs.ts";
import { available } from "../requirements.ts";
import { sparkOf } from "../spark-distributions.ts";
import { describeWith } from "../test-with.ts";
import { defaultArgs, environmentOf, hadoopForTests, idIn, jarFor } from "./yarn-applications.ts";

const spark = sparkOf("4.3");

const hadoop = hadoopForTests(spark, { "yarn.resourcemanager.ha.enabled": "true" });

describeWith(spark)("two ResourceManagers", {}, () => {
  const here = available(spark);
  const args = (...more: string[]) => [
    ...[...defaultArgs(here), "--conf", "spark.yarn.report.interval=200ms"],
    ...["--class", "Pi", jarFor(hadoop(), here), ...more],
  ];

  /** Submits, runs an action when the application exists, and waits for its end. */
  async function during(act: () => Promise<void>) {
    const { child, ended } = start("spark-submit", args(), { env: environmentOf(hadoop(), here) });
    let acting: Promise<void> | undefined;
    let stderr = "";
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
      if (stderr.includes("(state: ACCEPTED)")) acting ??= act();
    });
    const { exit } = await ended;
    await acting;
    return { exit, stderr };
  }

  test("accept a submission through the first one while the second one is active", async () => {
    await hadoop().command("active 1");
    const ended = await run("spark-submit", args(), { env: environmentOf(hadoop(), here) });
    expect(ended.exit, ended.stderr).toBe(0);
    expect(hadoop().logsOf(idIn(ended), "stdout")).toMatch(/Pi is roughly 3/);
  });

  test("may fail over while a submission waits", async () => {
    const { exit, stderr } = await during(() => hadoop().command("active 0"));
    expect(exit, stderr).toBe(0);
  });

  test("may both be unavailable for a while, and one permanently", async () => {
    const { exit, stderr } = await during(async () => {
      await hadoop().command("kill 0");
      await hadoop().command("active 1");
    });
    expect(exit, stderr).toBe(0);
  });
});
