import { expect, test } from "vitest";
import { available } from "../requirements.ts";
import { sparkOf } from "../spark-distributions.ts";
import { describeWith, requires, testWith } from "../test-with.ts";
import { foundByAll, javaApplication, pythonApplication, rApplication } from "./application/application.ts";
import { expectAllOfJava, expectAllOfPython, type Row, requiredFor, submitByRow } from "./application/transports.ts";
import { sparkCluster } from "./spark-cluster.ts";

const cluster = sparkCluster();

/** Each transport and each mode once; all combinations take minutes. */
const rows: readonly Row[] = [
  { transport: "secret", mode: "driverServed" },
  { transport: "push", mode: "driverServed" },
  { transport: "server", mode: "everywhere" },
  { transport: "s3", mode: "classPathOnly" },
];

describeWith("a Java compiler")("files of this machine", {}, () => {
  test.for(rows)("T68, T69, T70: reach driver and executors by $transport, $mode", async (row, context) => {
    requires(requiredFor(row))(context);
    expectAllOfPython(await submitByRow(cluster, pythonApplication(), row), row.mode);
  });

  test("and the application's own jar reach driver and executors", async () => {
    const row: Row = { transport: "push", mode: "driverServed" };
    const { home } = available(sparkOf("4.3"));
    expectAllOfJava(await submitByRow(cluster, javaApplication(home), row), row.mode);
  });

  testWith("R")("and a script of R reach the driver", async () => {
    const row: Row = { transport: "secret", mode: "driverServed" };
    const { exit, stdout, stderr } = await submitByRow(cluster, rApplication(), row);
    expect(stdout, stderr).toContain(`driver argument ${foundByAll}`);
    expect(stdout).toContain("jvm TRUE");
    expect(exit).toBe(0);
  });
});
