import { describe, test } from "vitest";
import { hasCompiler, javaApplication, pythonApplication } from "../acceptance/application/application.ts";
import {
  expectAllOfJava,
  expectAllOfPython,
  missingFor,
  type Row,
  rows,
  submitByRow,
} from "../acceptance/application/transports.ts";
import { sparkCluster, sparkOf } from "./spark-cluster.ts";

const cluster = sparkCluster();

// `everywhere` needs a setting that 3.5 does not have.
const rowsOf = (line: string) => rows.filter(({ mode }) => line !== "3.5" || mode !== "everywhere");
const table = ["3.5", "4.3"].flatMap((line) => rowsOf(line).map((row) => ({ ...row, line })));

describe.skipIf(!hasCompiler)("T68, T69, T70: local files", () => {
  test.for(table)(
    "reach driver and executors of Spark $line by $transport, $mode",
    async ({ line, ...row }, { skip }) => {
      const { image } = sparkFor(line, row, skip);
      expectAllOfPython(await submitByRow(cluster, pythonApplication(), row, image), row.mode);
    },
  );

  test.for(table.filter(({ transport }) => transport === "server"))(
    "and an application's own jar reach those of Spark $line by $transport, $mode",
    async ({ line, ...row }, { skip }) => {
      const { home, image } = sparkFor(line, row, skip);
      expectAllOfJava(await submitByRow(cluster, javaApplication(home), row, image), row.mode);
    },
  );
});

/** Returns a Spark for a row, and the setting that selects it. */
function sparkFor(line: string, row: Row, skip: (note: string) => never) {
  const missing = missingFor(row);
  if (missing !== undefined) skip(missing);
  const { home, version } = sparkOf(line) ?? skip(`firesteel spark install ${line}`);
  return { home, image: { "spark.kubernetes.container.image": `apache/spark:${version}` } };
}
