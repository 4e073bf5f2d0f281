import { traitsOf } from "../conf/spark-version.ts";
import { orThrow, submitError, throwIssues } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { managerOf } from "../plan/cluster-manager.ts";
import type { KillInvocation, StatusInvocation } from "../plan/invocation.ts";
import { parseSubmissionId } from "../values/identity.ts";
import { readSettings } from "./resolve/read-settings.ts";
import { spokenVersion } from "./resolve/spoken-version.ts";
import { toldField } from "./resolve/told-field.ts";

/**
 * Refuses `--kill` and `--status`: where Spark has no such operation in its words, else with what to do instead.
 *
 * Source: Spark SparkSubmit.kill, getSubmitOperations.
 *
 * @throws SUBMIT_ERR_NO_OPERATIONS, SUBMIT_ERR_MASTER_NOT_SERVED, SUBMIT_ERR_KILL_NOT_SERVED, SUBMIT_ERR_STATUS_NOT_SERVED
 */
export function refuseOperation(host: Host, invocation: KillInvocation | StatusInvocation): never {
  const { settings, issues } = readSettings(host, invocation);
  throwIssues(issues);
  const master = toldField("master", { given: invocation, settings, env: host.env })?.value ?? "local[*]";
  const { line } = orThrow(spokenVersion({ settings, env: host.env, localSpark: () => undefined }));
  const manager = managerOf(master, traitsOf(line));
  if (manager.ok && manager.value === "kubernetes") throw notServed(invocation);
  if (/^(spark|mesos):\/\//.test(master)) {
    throw submitError("SUBMIT_ERR_MASTER_NOT_SERVED", { master, mode: "cluster" });
  }
  throw submitError("SUBMIT_ERR_NO_OPERATIONS", { master });
}

function notServed({ action, submissionId }: KillInvocation | StatusInvocation) {
  const unreadable = { namespace: undefined, name: submissionId, isPrefix: false };
  const { namespace = "default", name, isPrefix } = parseSubmissionId(submissionId) ?? unreadable;
  const place = { namespace, pod: isPrefix ? `${name}*` : name };
  return action === "kill"
    ? submitError("SUBMIT_ERR_KILL_NOT_SERVED", place)
    : submitError("SUBMIT_ERR_STATUS_NOT_SERVED", place);
}
