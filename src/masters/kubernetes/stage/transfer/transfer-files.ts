import type { Issue } from "../../../../errors/issue.ts";
import { resourceTypes } from "../../../../kube/resources.ts";
import type { KubeResource, ObjectMeta, Pod, StringMap } from "../../../../kube/types.ts";
import type { LocalizedDependencies } from "../../../../plan/localized-dependencies.ts";
import { undo, withFurtherIssues } from "../../create/undo-creations.ts";
import type { Staging, StagingCall } from "./staging.ts";

export interface TransferCall extends StagingCall {
  readonly localized: LocalizedDependencies;
}

/** Transport of files to the pods. Sends what can be sent before any object is created. */
export type FileTransport = (call: TransferCall) => Promise<TransferResult>;

/** Result of a transport, and its remaining steps. */
export interface TransferResult {
  /** Data that the transport adds to objects, by kind and name, e.g. `Secret/<name>`. These objects become immutable. */
  readonly data: Readonly<Record<string, StringMap>>;
  /**
   * Sends the remaining files after the creation of the driver's pod. Returns the pod, with its final state if it ended. If this
   * throws, the pod is deleted.
   *
   * @default nothing
   */
  readonly deliver?: (pod: Pod) => Promise<Pod>;
  /** Rolls back the transfer if the driver is not created. Returns issues for what cannot be rolled back. */
  readonly withdraw: () => Promise<readonly Issue[]>;
  /** Closes connections after the last step. */
  readonly close: () => void;
}

/**
 * Sends files with a transport and creates their driver.
 *
 * @throws what the transport and `create` throw, with issues for what could not be rolled back
 */
export async function transferFiles(
  call: TransferCall,
  transport: FileTransport,
  create: Parameters<Staging>[0],
): Promise<Pod> {
  const transferred = await transport(call);
  let pod: Pod | undefined;
  try {
    pod = await create(completed(call.resources, transferred));
    return (await transferred.deliver?.(pod)) ?? pod;
  } catch (error) {
    const left = pod === undefined ? [] : await removeDriver(call, pod);
    throw withFurtherIssues(error, [...left, ...(await transferred.withdraw())]);
  } finally {
    transferred.close();
  }
}

/** Deletes a driver's pod; the cluster collects the objects that it owns. @returns issues if it could not be deleted */
export function removeDriver({ client }: TransferCall, { metadata = {} }: Pod): Promise<readonly Issue[]> {
  const { name = "", namespace = "", uid } = metadata;
  const isOwn = (found: ObjectMeta) => found.uid === uid;
  return undo(client, [{ type: resourceTypes.pod, name, namespace, uid, isOwn }]);
}

function completed(resources: readonly KubeResource[], { data }: TransferResult): readonly KubeResource[] {
  return resources.map((resource) => {
    const own = data[`${resource.kind}/${resource.metadata.name}`];
    return own === undefined ? resource : { ...resource, immutable: true, data: own };
  });
}
