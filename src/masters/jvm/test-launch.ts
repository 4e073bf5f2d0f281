import { parseCommandLine } from "../../command-line/parse.ts";
import type { SparkLine } from "../../conf/spark-version.ts";
import { type TestHostOptions, testHost } from "../../host/test-host.ts";
import type { Launch } from "./launch.ts";

/** Host with a Spark whose files have names but no content. */
export const sparkFiles: Readonly<Record<string, string>> = {
  "/spark/bin/spark-submit": "",
  "/spark/conf/spark-env.sh.template": "",
  "/spark/jars/slf4j-api-2.0.17.jar": "",
  "/spark/jars/spark-core_2.13-4.3.0.jar": "",
  "/spark/jars/spark-sql_2.13-4.3.0.jar": "",
  "/spark/jars/connect-repl/scalapb.jar": "",
  "/spark/python/lib/py4j-0.10.9.9-src.zip": "",
};

/** Builds the launch of a command line, as Spark's launcher sees it. */
export function testLaunch(
  argv: readonly string[],
  { line = "4.3", files, env, ...rest }: TestHostOptions & { readonly line?: SparkLine } = {},
): Launch {
  const parsed = parseCommandLine(argv, line);
  if (!parsed.ok || parsed.value.action !== "submit") throw new Error("no submission");
  const invocation = parsed.value;
  const settings = new Map(invocation.settings.map(({ key, value }) => [key, value]));
  const host = testHost({ ...rest, env: env ?? {}, files: { ...sparkFiles, ...files } });
  return { host, home: "/spark", line, invocation, settings };
}
