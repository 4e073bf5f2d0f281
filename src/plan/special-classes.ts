import type { SparkLine } from "../conf/spark-version.ts";

/** Classes that Spark starts in a different way than application classes. */
export const specialClasses = {
  shell: "org.apache.spark.repl.Main",
  connectShell: "org.apache.spark.sql.application.ConnectRepl",
  sqlShell: "org.apache.spark.sql.hive.thriftserver.SparkSQLCLIDriver",
  thriftServer: "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2",
  connectServer: "org.apache.spark.sql.connect.service.SparkConnectServer",
} as const;

const shellResources = ["spark-shell", "pyspark-shell", "sparkr-shell", "connect-shell"];

/** Whether a primary resource is the name of a shell in a line of Spark. */
export function isShellResource(resource: string, line: SparkLine): boolean {
  return shellResources.includes(resource) && !(line === "3.5" && resource === "connect-shell");
}
