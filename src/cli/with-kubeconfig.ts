import type { Issue } from "../errors/issue.ts";
import { SubmitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { quoteForShell } from "../host/quote-for-shell.ts";
import { clusterPaths } from "./cluster-record.ts";
import type { EmbeddedConnection } from "./embedded.ts";

/**
 * Returns an error of the embedded cluster whose kubectl commands work as typed, without KUBECONFIG. A cluster inside of this command
 * ends with it: then the commands start one in the background, which the next submission uses.
 */
export function withKubeconfig(
  host: Host,
  error: SubmitError,
  { name, location }: Pick<EmbeddedConnection, "name" | "location">,
): SubmitError {
  const kubeconfig = quoteForShell(clusterPaths(host, name).kubeconfig);
  const start = location === "inside" ? "firesteel cluster start && " : "";
  const command = `${start}kubectl --kubeconfig ${kubeconfig} `;
  const complete = (text: string) => text.replaceAll("kubectl ", () => command);
  const change = (issue: Issue): Issue =>
    issue.hint === undefined ? issue : { ...issue, hint: hintOfCluster(issue, name) ?? complete(issue.hint) };
  const [first, ...others] = error.issues;
  return new SubmitError([change(first), ...others.map(change)], { cause: error });
}

/** Returns the hint for a cluster that does not respond. Its address is not the user's to correct. */
function hintOfCluster({ code }: Issue, name: string): string | undefined {
  const option = name === "default" ? "" : ` --name ${name}`;
  return code === "SUBMIT_ERR_KUBE_UNREACHABLE"
    ? `Start the cluster again: firesteel cluster start${option}`
    : undefined;
}
