import type { ErrorCode } from "../errors/codes.ts";
import type { Issue } from "../errors/issue.ts";
import { SubmitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { embeddedMaster } from "../resolve/embedded-name.ts";
import { type ClusterRecord, clusterPaths, listClusterRecords } from "./cluster-record.ts";
import { releaseOf } from "./embedded.ts";

const imageCodes: readonly ErrorCode[] = ["SUBMIT_ERR_IMAGE_MISSING", "SUBMIT_ERR_EXECUTOR_IMAGE_MISSING"];

/**
 * Returns an error about a missing image with a hint that names the cluster, if its address is that of a background cluster: a URL has
 * no defaults, as for Spark.
 */
export function withImageHint(host: Host, error: SubmitError): SubmitError {
  if (!error.issues.some(({ code }) => imageCodes.includes(code))) return error;
  const cluster = addressedCluster(host);
  if (cluster === undefined) return error;
  const image = `spark:${cluster.sparkVersions[0] ?? releaseOf(undefined)}`;
  const hint = `Set spark.kubernetes.container.image to ${image}. Or pass --master ${embeddedMaster(cluster.name)}, which has this and other defaults.`;
  const change = (issue: Issue): Issue => (imageCodes.includes(issue.code) ? { ...issue, hint } : issue);
  const [first, ...others] = error.issues;
  return new SubmitError([change(first), ...others.map(change)], { cause: error });
}

/** Returns the background cluster whose URL is an argument, or, without a Kubernetes master, whose kubeconfig is the current one. */
function addressedCluster(host: Host): ClusterRecord | undefined {
  const urls = host.argv.flatMap((arg) => /k8s:\/\/(?:https:\/\/)?([^/]+)/.exec(arg)?.[1] ?? []);
  return listClusterRecords(host).find(({ name, url }) =>
    urls.length === 0
      ? host.env["KUBECONFIG"] === clusterPaths(host, name).kubeconfig
      : urls.includes(new URL(url).host),
  );
}
