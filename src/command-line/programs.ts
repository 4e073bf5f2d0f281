import type { SparkLine } from "../conf/spark-version.ts";
import { specialClasses } from "../plan/special-classes.ts";

/** What the first word makes of a command line. */
export type Program = "submit" | "example" | "pyspark-shell" | "sparkr-shell";

const programs: ReadonlyMap<string, Program> = new Map([
  ["run-example", "example"],
  ["pyspark-shell-main", "pyspark-shell"],
  ["sparkr-shell-main", "sparkr-shell"],
]);

/** Spark's other programs start spark-submit with a first word of their own. */
export function programOf(firstWord: string | undefined): Program {
  return programs.get(firstWord ?? "") ?? "submit";
}

/** The shells' words mean the same where a resource is expected. */
export function shellProgramOf(resource: string): Program | undefined {
  const program = programOf(resource);
  return program === "pyspark-shell" || program === "sparkr-shell" ? program : undefined;
}

const resources: ReadonlyMap<string, string> = new Map([
  [specialClasses.shell, "spark-shell"],
  [specialClasses.connectShell, "connect-shell"],
  [specialClasses.sqlShell, "spark-internal"],
  [specialClasses.thriftServer, "spark-internal"],
  [specialClasses.connectServer, "spark-internal"],
]);

/** The resource that goes without saying for the class of a shell or of a server. */
export function specialResource(className: string, line: SparkLine): string | undefined {
  return line === "3.5" && className === specialClasses.connectShell ? undefined : resources.get(className);
}
