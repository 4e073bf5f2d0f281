import { type TestContext, test } from "vitest";
import { available } from "../requirements.ts";
import { javaApplication, pythonApplication } from "../spark/application/application.ts";
import {
  expectAllOfJava,
  expectAllOfPython,
  type Row,
  requiredFor,
  rows,
  submitByRow,
} from "../spark/application/transports.ts";
import { sparkCluster } from "../spark/spark-cluster.ts";
import { sparkOf } from "../spark-distributions.ts";
import { describeWith, requires } from "../test-with.ts";

const cluster = sparkCluster();

// `everywhere` needs a setting that 3.5 does not have.
const rowsOf = (line: string) => rows.filter(({ mode }) => line !== "3.5" || mode !== "everywhere");
const table = ["3.5", "4.3"].flatMap((line) => rowsOf(line).map((row) => ({ ...row, line })));

describeWith("a Java compiler")("T68, T69, T70: local files", {}, () => {
  test.for(table)(
    "reach driver and executors of Spark $line by $transport, $mode",
    async ({ line, ...row }, context) => {
      const { image } = sparkFor(line, row, context);
      expectAllOfPython(await submitByRow(cluster, pythonApplication(), row, image), row.mode);
    },
  );

  test.for(table.filter(({ transport }) => transport === "server"))(
    "and an application's own jar reach those of Spark $line by $transport, $mode",
    async ({ line, ...row }, context) => {
      const { home, image } = sparkFor(line, row, context);
      expectAllOfJava(await submitByRow(cluster, javaApplication(home), row, image), row.mode);
    },
  );
});

/** Returns a Spark for a row, and the setting that selects it. Skips the test if something is missing. */
function sparkFor(line: string, row: Row, context: Pick<TestContext, "skip">) {
  const spark = sparkOf(line);
  requires(spark)(context);
  requires(requiredFor(row))(context);
  const { home, version } = available(spark);
  return { home, image: { "spark.kubernetes.container.image": `apache/spark:${version}` } };
}
