import { dirname } from "node:path";
import { submitError } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import { showProgress } from "../../../host/progress.ts";
import { removeTree } from "../../../host/remove-tree.ts";
import { lastLine } from "../../../host/run-command.ts";
import { showElapsed } from "../../../host/show-elapsed.ts";
import { isFinalPhase } from "../../../kube/pod-phase.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { connect } from "../../../kube-client/connect.ts";
import { inInstallDirectory, moveInstallation } from "../../../spark/cache.ts";
import { classArchiveDirectory, classArchives, hasClassArchive } from "../../../spark/class-archive.ts";
import { type EmbeddedConnection, openInside, prepareRuntime } from "../../embedded.ts";
import { packageDirectory } from "../../package-directory.ts";
import { classArchivePod, podName } from "./class-archive-pod.ts";

/**
 * Makes the class data archive of a Spark and this machine's Java in the cache, unless there is one. An archive of the same Spark
 * version with other jars or another Java is removed.
 *
 * @returns the directory of the archive
 * @throws SubmitError `SUBMIT_ERR_CLASS_ARCHIVE`, and errors of the cluster's start
 */
export async function prepareClassArchive(host: Host, version: string | undefined): Promise<string> {
  const { sparkHomes, javaHome } = await prepareRuntime(host, { sparkVersion: version, progress: showProgress(host) });
  const [spark] = sparkHomes;
  const target = classArchiveDirectory(host, { ...spark, javaHome });
  const isUsable = () => hasClassArchive(host, target);
  if (isUsable()) return target;
  const what = `Making the class data archive of Spark ${spark.version}`;
  await inInstallDirectory(host, target, async (directory) => {
    const { files } = host;
    const sources = `${packageDirectory(host)}/images/spark`;
    files.makeDirectory(`${directory}/bin`);
    files.copy(`${sources}/share-classes.sh`, `${directory}/bin/java`);
    files.changeMode(`${directory}/bin/java`, 0o755);
    const script = files.readText(`${sources}/prepare-class-sharing.sh`) ?? "";
    await showElapsed(host, what, runPod(host, { version: spark.version, script, directory }));
    // Pods of Spark images run as another user.
    files.changeMode(directory, 0o755);
    moveInstallation(host, { finished: directory, target, isUsable });
  });
  removeOthers(host, spark.version, target);
  return target;
}

interface Making {
  readonly version: string;
  readonly script: string;
  readonly directory: string;
}

async function runPod(host: Host, { version, script, directory }: Making): Promise<void> {
  const fail = (reason: string) => submitError("SUBMIT_ERR_CLASS_ARCHIVE", { version, reason });
  const cluster = await openInside(host, { sparkVersion: version });
  try {
    if (cluster.sandbox === "process") throw fail("pods run without a sandbox here, so that each has its own paths");
    const client = await connectTo(host, cluster);
    const type = resourceTypes.pod;
    const object = classArchivePod({ image: `spark:${version}`, script, directory });
    await client.create({ type, namespace: "default", object });
    const phase = await finalPhase(client);
    if (phase !== "Succeeded" || !hasClassArchive(host, directory))
      throw fail(lastLine(await readLog(client)) || `the pod ended as ${phase}`);
    client.close();
  } finally {
    await cluster.close();
  }
}

async function connectTo(host: Host, { url, certificateAuthority, token }: EmbeddedConnection): Promise<KubeClient> {
  return await connect(host, {
    ...{ server: url, log: () => {}, requestTimeoutMs: 10_000, connectionTimeoutMs: 10_000 },
    access: { kind: "known", authority: certificateAuthority, token },
  });
}

async function finalPhase(client: KubeClient): Promise<string> {
  const call = { type: resourceTypes.pod, namespace: "default", fieldSelector: `metadata.name=${podName}` };
  for (;;) {
    for await (const event of client.watch<Pod>(call)) {
      if (event.type === "ERROR" || event.type === "BOOKMARK") continue;
      const phase = event.object.status?.phase ?? "Pending";
      if (isFinalPhase(phase)) return phase;
    }
  }
}

async function readLog(client: KubeClient): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of client.logs({ namespace: "default", pod: podName })) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function removeOthers(host: Host, version: string, target: string): void {
  for (const name of host.files.list(classArchives(host)) ?? []) {
    const path = `${dirname(target)}/${name}`;
    if (name.startsWith(`${version}-`) && path !== target) removeTree(host.files, path);
  }
}
