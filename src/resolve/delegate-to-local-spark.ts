import type { ResolvedSettings, ResolvedSubmission } from "./resolve-settings.ts";

/**
 * Exactly Spark's behaviour: a shell starts wherever its driver may not run, and a master that there is not, or a deploy mode, is for
 * the Spark of SPARK_HOME to judge. `undefined` where there is none.
 */
export function delegateToLocalSpark(understood: ResolvedSettings): ResolvedSubmission["master"] | undefined {
  const { host, invocation, fields, master } = understood;
  if (invocation.shell === undefined && (host.env["SPARK_HOME"] ?? "") === "") return undefined;
  if (master.ok) return { ...master.value, place: "jvm" };
  const text = (fields.get("master") ?? fields.get("remote"))?.value ?? "local[*]";
  return { text, manager: "local", mode: "client", place: "jvm", kubernetes: undefined };
}
