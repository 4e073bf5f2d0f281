import { nodeHost } from "../src/host/node-host.ts";
import { localJava } from "../src/spark/find-java.ts";
import { listDistributions } from "../src/spark/find-spark.ts";
import { matchesVersion, type SparkHome } from "../src/spark/spark-home.ts";
import type { Missing } from "./requirements.ts";

/**
 * Finds a local Spark of a line, such as `4.3`.
 *
 * @throws Error in CI, which installs the lines that its tests require
 */
export function sparkOf(line: string): SparkHome | Missing {
  const host = nodeHost();
  const found = listDistributions(host).find(({ version }) => matchesVersion(version, line));
  if (found !== undefined && localJava(host) !== undefined) return found;
  const missing = found === undefined ? `requires Spark ${line}: firesteel spark install ${line}` : "requires Java";
  if (process.env["CI"] !== undefined) throw new Error(missing);
  return { missing };
}
