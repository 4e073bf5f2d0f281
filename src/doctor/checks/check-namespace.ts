import { keys } from "../../diagnosis/settings.ts";
import type { KubeResource } from "../../kube/types.ts";
import { isFields } from "../../values/fields.ts";
import type { Fetched } from "../fetch/fetched.ts";
import { type Finding, ok, skipped } from "../finding.ts";

/** Reports a namespace that does not exist or is being deleted. */
export function checkNamespace(name: string, found: Fetched<KubeResource>): readonly Finding[] {
  const failed = { check: "namespace", status: "failure", key: keys.namespace } as const;
  if (found.kind === "unknown")
    return [skipped("namespace", `Whether the namespace ${name} exists was not checked: ${found.reason}`)];
  if (found.kind === "missing") {
    const fix = `Run firesteel setup namespace ${name}, or name another namespace.`;
    return [{ ...failed, cause: "namespace-missing", reason: `The namespace ${name} does not exist.`, fix }];
  }
  const status = found.value["status"];
  const isTerminating =
    found.value.metadata.deletionTimestamp !== undefined || (isFields(status) && status["phase"] === "Terminating");
  if (!isTerminating) return [ok("namespace", `The namespace ${name} exists.`)];
  const reason = `The namespace ${name} is being deleted: nothing can be created in it.`;
  const fix = "Wait until it is deleted and create it again, or name another namespace.";
  return [{ ...failed, cause: "namespace-terminating", reason, fix }];
}
