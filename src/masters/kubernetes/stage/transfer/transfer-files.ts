import type { Issue } from "../../../../errors/issue.ts";
import { isSubmitError, SubmitError } from "../../../../errors/submit-error.ts";
import { resourceTypes } from "../../../../kube/resources.ts";
import type { KubeResource, ObjectMeta, Pod, StringMap } from "../../../../kube/types.ts";
import type { LocalizedDependencies } from "../../../../plan/localized-dependencies.ts";
import { undo } from "../../create/undo-creations.ts";
import type { Staging, StagingCall } from "./staging.ts";

/** Files on their way, and who looks after it. */
export interface TransferCall extends StagingCall {
  readonly localized: LocalizedDependencies;
}

/** One way on which files go to the pods besides objects: sends what can be sent before anything is created. */
export type FileTransport = (call: TransferCall) => Promise<TransferResult>;

/** Goes on with what another attempt began for a pod that is there. */
export type Resumption = (call: TransferCall, pod: Pod) => Promise<Pod>;

/** What a carrier did, and has still to do. */
export interface TransferResult {
  /** What only it knew of the contents of objects, by kind and name, e.g. `Secret/<name>`; they do not change any more. */
  readonly data: Readonly<Record<string, StringMap>>;
  /**
   * Between the creation of the driver's pod and its running. A pod that ends meanwhile is given back as it ended; when this
   * throws, the pod is deleted.
   *
   * @default nothing
   */
  readonly deliver?: (pod: Pod) => Promise<Pod>;
  /** Takes back what was sent for a driver that will not be; what cannot be taken back is told. */
  readonly withdraw: () => Promise<readonly Issue[]>;
  /** When nothing is left to be done. */
  readonly close: () => void;
}

/**
 * Sends files by a carrier and creates their driver.
 *
 * @throws what the carrier and `create` throw, perhaps with what could not be withdrawn
 */
export async function transferFiles(
  call: TransferCall,
  carrier: FileTransport,
  create: Parameters<Staging>[0],
): Promise<Pod> {
  const transferred = await carrier(call);
  let pod: Pod | undefined;
  try {
    pod = await create(completed(call.resources, transferred));
    return (await transferred.deliver?.(pod)) ?? pod;
  } catch (error) {
    const left = [
      ...(pod === undefined ? [] : await removeDriver(call, pod)),
      ...(await transferred.withdraw()),
    ];
    if (left.length === 0 || !isSubmitError(error)) throw error;
    throw new SubmitError([...error.issues, ...left], { cause: error.cause });
  } finally {
    transferred.close();
  }
}

/** What it owns goes with it. @returns what could not be removed */
export function removeDriver({ client }: TransferCall, { metadata = {} }: Pod): Promise<readonly Issue[]> {
  const { name = "", namespace = "", uid } = metadata;
  const isOurs = (found: ObjectMeta) => found.uid === uid;
  return undo(client, [{ type: resourceTypes.pod, name, namespace, uid, isOurs }]);
}

function completed(resources: readonly KubeResource[], { data }: TransferResult): readonly KubeResource[] {
  return resources.map((resource) => {
    const own = data[`${resource.kind}/${resource.metadata.name}`];
    return own === undefined ? resource : { ...resource, immutable: true, data: own };
  });
}
