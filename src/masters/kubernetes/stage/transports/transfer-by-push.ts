import { isSubmitError, messageOf, SubmitError } from "../../../../errors/submit-error.ts";
import type { Host } from "../../../../host/host.ts";
import { resourceTypes } from "../../../../kube/resources.ts";
import { statusOf } from "../../../../kube/status.ts";
import type { Pod, Secret } from "../../../../kube/types.ts";
import { localizingFiles, localizingNames } from "../../../../plan/localizing-names.ts";
import { localizingContainer } from "../../../../values/staged-entry.ts";
import { removeDriver, type TransferCall, type TransferResult } from "../transfer/transfer-files.ts";
import { deliver } from "./push/push-files.ts";

/** Sends the files of a driver into its waiting init container, whose one-time secret nobody else learns. */
export async function transferByPush(call: TransferCall): Promise<TransferResult> {
  const secret = oneTimeSecret(call.host);
  const name = localizingNames(call.driver).secret;
  return {
    data: { [`Secret/${name}`]: { [localizingFiles.token]: Buffer.from(secret).toString("base64") } },
    deliver: (pod) => deliver({ ...call, secret }, pod),
    // There is nothing outside the cluster.
    withdraw: async () => [],
    close() {},
  };
}

/**
 * Sends the files into a pod that another attempt at the same submission made: that one may have been killed. When this fails
 * for good, the pod is removed, for nobody else will fill it.
 */
export async function resumePush(call: TransferCall, pod: Pod): Promise<Pod> {
  const secret = await readSecret(call, pod);
  if (secret === undefined) return pod;
  try {
    return await deliver({ ...call, secret }, pod);
  } catch (error) {
    const left = await removeDriver(call, pod);
    if (left.length === 0 || !isSubmitError(error)) throw error;
    throw new SubmitError([...error.issues, ...left], { cause: error.cause });
  }
}

/** That which the pod's init container has; `undefined` where we may not read it, which is told. */
async function readSecret(
  { client, log, signal }: TransferCall,
  { metadata, spec }: Pod,
): Promise<string | undefined> {
  const volume = spec?.volumes?.find(({ name }) => name === localizingContainer);
  const name = volume?.projected?.sources?.find(({ secret }) => secret !== undefined)?.secret?.name ?? "";
  const namespace = metadata?.namespace ?? "";
  try {
    const target = { type: resourceTypes.secret, namespace, name, ...(signal && { signal }) };
    const { data } = await client.get<Secret>(target);
    return Buffer.from(data?.[localizingFiles.token] ?? "", "base64").toString();
  } catch (error) {
    if (statusOf(error)?.code !== 403) throw error;
    const text = `Whether ${namespace}:${metadata?.name} still waits for its files is left to whoever submitted it first: ${messageOf(error)}`;
    log("WARN", "Staging", text);
    return undefined;
  }
}

/** As long as that of Spark's first client for Kubernetes: 128 characters. */
function oneTimeSecret({ random }: Host): string {
  return Array.from({ length: 4 }, () => random.uuid().replaceAll("-", "")).join("");
}
