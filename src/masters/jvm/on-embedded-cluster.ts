import { overrideHost } from "../../host/override-host.ts";
import { makePrivateDirectory } from "../../host/state-directory.ts";
import type { OpenEmbedded } from "../../resolve/destination.ts";
import { enterAsClient } from "../../resolve/enter-as-client.ts";
import { specifiedSparkVersion } from "../../resolve/resolve-spark-version.ts";
import type { ResolvedSubmission } from "../../resolve/resolve-submission.ts";
import { findDriverSpark } from "./local-spark.ts";

/**
 * Starts a local driver with its executors in the embedded cluster, which runs at least as long as the driver. Returns the exit code.
 *
 * @throws the errors of opening the cluster
 */
export async function onEmbeddedCluster(
  submission: ResolvedSubmission,
  openEmbedded: OpenEmbedded,
  start: (submission: ResolvedSubmission) => Promise<number>,
): Promise<number> {
  const { host, read } = submission;
  const specified = specifiedSparkVersion({ settings: read.settings, env: host.env });
  const sparkVersion = findDriverSpark(host, specified)?.version ?? specified;
  const { submission: entered, kubeconfig } = await enterAsClient(submission, { openEmbedded, sparkVersion });
  const { files } = host;
  // Pods can mount the directory for temporary files, but not this one.
  const directory = makePrivateDirectory(host);
  const path = `${directory}/config`;
  try {
    files.write(path, kubeconfig, { mode: 0o600 });
    return await start({ ...entered, host: overrideHost(host, { env: { ...host.env, KUBECONFIG: path } }) });
  } finally {
    files.remove(directory);
  }
}
