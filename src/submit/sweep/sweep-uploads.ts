import type { SparkConf } from "../../conf/spark-conf.ts";
import type { Host } from "../../host/host.ts";
import { sparkLog } from "../../host/log.ts";
import { resourceTypes } from "../../kube/resources.ts";
import type { Pod } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { roleLabel } from "../../plan/labels.ts";
import { forgetUploads, hasUploads, removeUploads } from "../stage/uploads/remove-uploads.ts";

interface UploadSweep {
  readonly host: Host;
  readonly client: KubeClient;
  readonly owner: { readonly conf: SparkConf };
}

/** Removes the uploads of drivers that ended when nobody waited for them. */
export async function sweepUploads({ host, client, owner }: UploadSweep, namespace: string): Promise<void> {
  const labelSelector = `${roleLabel}=driver`;
  const { items } = await client.list<Pod>({ type: resourceTypes.pod, namespace, labelSelector });
  const ended = items.filter(
    (pod) => hasUploads(pod) && /^(Succeeded|Failed)$/.test(pod.status?.phase ?? ""),
  );
  for (const pod of ended) {
    const isGone = await removeUploads({ host, owner, log: sparkLog(host) }, pod);
    if (isGone) await forgetUploads(client, pod);
  }
}
