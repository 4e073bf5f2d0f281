import type { SparkLine } from "../conf/spark-version.ts";
import { specialClasses } from "../plan/special-classes.ts";

/** Program that a command line starts, from its first argument. */
export type Program = "submit" | "example" | "pyspark-shell" | "sparkr-shell";

const programs: ReadonlyMap<string, Program> = new Map([
  ["run-example", "example"],
  ["pyspark-shell-main", "pyspark-shell"],
  ["sparkr-shell-main", "sparkr-shell"],
]);

/** Returns the program: Spark's other programs start spark-submit with their own first argument. */
export function programOf(firstArg: string | undefined): Program {
  return programs.get(firstArg ?? "") ?? "submit";
}

/** Returns the shell that a resource selects: the names of the shells also work as resources. */
export function shellProgramOf(resource: string): Program | undefined {
  const program = programOf(resource);
  return program === "pyspark-shell" || program === "sparkr-shell" ? program : undefined;
}

/** Resource of an application that needs none: its class is in Spark. */
export const internalResource = "spark-internal";

const resources: ReadonlyMap<string, string> = new Map([
  [specialClasses.shell, "spark-shell"],
  [specialClasses.connectShell, "connect-shell"],
  [specialClasses.sqlShell, internalResource],
  [specialClasses.thriftServer, internalResource],
  [specialClasses.connectServer, internalResource],
]);

/** Returns the implied resource for the class of a shell or a server. */
export function specialResource(className: string, line: SparkLine): string | undefined {
  return line === "3.5" && className === specialClasses.connectShell ? undefined : resources.get(className);
}
