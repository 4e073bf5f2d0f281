/** What the first word makes of a command line. */
export type Program = "submit" | "example" | "pyspark-shell" | "sparkr-shell";

const programs: Readonly<Record<string, Program>> = {
  "run-example": "example",
  "pyspark-shell-main": "pyspark-shell",
  "sparkr-shell-main": "sparkr-shell",
};

/** Spark's other programs start spark-submit with a first word of their own. */
export function programOf(firstWord: string | undefined): Program {
  const known = firstWord !== undefined && Object.hasOwn(programs, firstWord);
  return (known ? programs[firstWord] : undefined) ?? "submit";
}

const resources: Readonly<Record<string, string>> = {
  "org.apache.spark.repl.Main": "spark-shell",
  "org.apache.spark.sql.application.ConnectRepl": "connect-shell",
  "org.apache.spark.sql.hive.thriftserver.SparkSQLCLIDriver": "spark-internal",
  "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2": "spark-internal",
  "org.apache.spark.sql.connect.service.SparkConnectServer": "spark-internal",
};

/** The resource that goes without saying for the class of a shell or of a server. */
export function specialResource(className: string): string | undefined {
  return Object.hasOwn(resources, className) ? resources[className] : undefined;
}
