import type { ChosenMaster } from "./check-master.ts";
import type { ResolvedSettings } from "./resolve-settings.ts";

/**
 * Returns the master of a submission that a local Spark handles, for exactly Spark's behavior; else `undefined`.
 *
 * Spark starts a shell whatever its master is. The Spark in SPARK_HOME reports an invalid master or deploy mode itself, and
 * submits to YARN itself.
 */
export function delegateToLocalSpark(settings: ResolvedSettings): ChosenMaster | undefined {
  const { host, invocation, fields, master } = settings;
  const hasSpark = (host.env["SPARK_HOME"] ?? "") !== "";
  const isShell = invocation.shell !== undefined;
  if (!master.ok) {
    if (!hasSpark && !isShell) return undefined;
    const text = (fields.get("master") ?? fields.get("remote"))?.value ?? "local[*]";
    return { text, manager: "local", mode: "client", strategy: "jvm", kubernetes: undefined };
  }
  const isDelegated = isShell || (hasSpark && master.value.strategy === "yarn");
  return isDelegated ? { ...master.value, strategy: "jvm" } : undefined;
}
