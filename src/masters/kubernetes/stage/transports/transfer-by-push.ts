import { messageOf } from "../../../../errors/submit-error.ts";
import type { Host } from "../../../../host/host.ts";
import { resourceTypes } from "../../../../kube/resources.ts";
import { statusOf } from "../../../../kube/status.ts";
import type { Pod, Secret, StringMap } from "../../../../kube/types.ts";
import { localizingFiles } from "../../../../plan/transports/localizing-files.ts";
import { pushTlsFiles } from "../../../../plan/transports/push-service.ts";
import { localizingContainer } from "../../../../values/staged-entry.ts";
import { withFurtherIssues } from "../../create/undo-creations.ts";
import { localizingSecret } from "../transfer/localizing-data.ts";
import { removeDriver, type TransferCall, type TransferResult } from "../transfer/transfer-files.ts";
import { pushFiles } from "./push/push-files.ts";
import { readFileOf } from "./read-named-file.ts";

/** Sends the files of a driver to its waiting init container, which a one-time secret authenticates. */
export async function transferByPush(call: TransferCall): Promise<TransferResult> {
  const secret = oneTimeSecret(call.host);
  const own = localizingSecret(call.driver, "token", secret);
  const tls = tlsData(call);
  return {
    data: Object.fromEntries(Object.entries(own).map(([object, data]) => [object, { ...data, ...tls }])),
    deliver: (pod) => pushFiles({ ...call, secret }, pod),
    // This transport leaves nothing outside of the cluster.
    withdraw: async () => [],
    close() {},
  };
}

/**
 * Sends the files to a pod that another attempt at the same submission created and may not have finished. If this fails
 * permanently, deletes the pod, because no other attempt will send its files.
 */
export async function resumePush(call: TransferCall, pod: Pod): Promise<Pod> {
  const secret = await readSecret(call, pod);
  if (secret === undefined) return pod;
  try {
    return await pushFiles({ ...call, secret }, pod);
  } catch (error) {
    throw withFurtherIssues(error, await removeDriver(call, pod));
  }
}

/** Reads the one-time secret of the pod's init container. Logs a missing permission and returns `undefined`. */
async function readSecret({ client, log, signal }: TransferCall, { metadata, spec }: Pod): Promise<string | undefined> {
  const volume = spec?.volumes?.find(({ name }) => name === localizingContainer);
  const name = volume?.projected?.sources?.find(({ secret }) => secret !== undefined)?.secret?.name ?? "";
  const namespace = metadata?.namespace ?? "";
  try {
    const { data } = await client.get<Secret>({
      type: resourceTypes.secret,
      namespace,
      name,
      ...(signal && { signal }),
    });
    return Buffer.from(data?.[localizingFiles.token] ?? "", "base64").toString();
  } catch (error) {
    if (statusOf(error)?.code !== 403) throw error;
    const text = `Cannot check whether ${namespace}:${metadata?.name} still waits for its files; the first submission has to send them: ${messageOf(error)}`;
    log("WARN", "Staging", text);
    return undefined;
  }
}

/** Returns the key and the certificate of the init container for its Secret. @throws SUBMIT_ERR_FILE_UNREADABLE */
function tlsData({ host, driver: { conf } }: TransferCall): StringMap {
  const files = pushTlsFiles(conf);
  const shipped = files === undefined ? [] : [files.key, files.certificate];
  return Object.fromEntries(
    shipped.flatMap(({ entry, localPath, secretKey }) => {
      if (localPath === undefined) return [];
      const text = readFileOf(host, entry.key, localPath);
      return [[localizingFiles[secretKey], Buffer.from(text).toString("base64")]];
    }),
  );
}

/** Creates a secret of 128 characters, the length in Spark's first client for Kubernetes. */
function oneTimeSecret({ random }: Host): string {
  return Array.from({ length: 4 }, () => random.uuid().replaceAll("-", "")).join("");
}
