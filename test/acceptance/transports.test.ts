import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { sparkCluster, sparkOf } from "../slow/spark-cluster.ts";
import {
  foundByAll,
  hasCompiler,
  javaApplication,
  pythonApplication,
  rApplication,
} from "./application/application.ts";
import { expectAllOfJava, expectAllOfPython, missingFor, type Row, submitByRow } from "./application/transports.ts";

if (!hasCompiler) process.stdout.write("No javac, so no applications with a jar of their own.\n");
const hasR = spawnSync("Rscript", ["--version"]).status === 0;

const cluster = sparkCluster();

/** Each transport and each mode once; all combinations take minutes. */
const rows: readonly Row[] = [
  { transport: "secret", mode: "driverServed" },
  { transport: "push", mode: "driverServed" },
  { transport: "server", mode: "everywhere" },
  { transport: "s3", mode: "classPathOnly" },
];

describe.skipIf(!hasCompiler)("files of this machine", () => {
  test.for(rows)("T68, T69, T70: reach driver and executors by $transport, $mode", async (row, { skip }) => {
    const missing = missingFor(row);
    if (missing !== undefined) skip(missing);
    expectAllOfPython(await submitByRow(cluster, pythonApplication(), row), row.mode);
  });

  test("and the application's own jar reach driver and executors", async () => {
    const row: Row = { transport: "push", mode: "driverServed" };
    const { home = "" } = sparkOf("4.3") ?? {};
    expectAllOfJava(await submitByRow(cluster, javaApplication(home), row), row.mode);
  });

  test.skipIf(!hasR)("and a script of R reach the driver", async () => {
    const row: Row = { transport: "secret", mode: "driverServed" };
    const { exit, stdout, stderr } = await submitByRow(cluster, rApplication(), row);
    expect(stdout, stderr).toContain(`driver argument ${foundByAll}`);
    expect(stdout).toContain("jvm TRUE");
    expect(exit).toBe(0);
  });
});
