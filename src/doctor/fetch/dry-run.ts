import type { Diagnosis } from "../../diagnosis/diagnosis.ts";
import { isSubmitError, messageOf } from "../../errors/submit-error.ts";
import type { SubmissionObject } from "../../explain/submission-objects.ts";
import { resourceTypeOf } from "../../kube/resources.ts";
import { statusOf } from "../../kube/status.ts";
import type { KubeResource } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { diagnoseRejection } from "../../masters/kubernetes/explain-rejection.ts";

/** Response of the API to the creation of an object that it does not store. */
export interface DryRun extends SubmissionObject {
  /** Object with defaults and the changes of admission, if the API would create it. */
  readonly admitted?: KubeResource | undefined;
  /** Message of the API, if it would not. */
  readonly rejection?: string | undefined;
  readonly diagnosis?: Diagnosis | undefined;
}

/** Sends an object as a dry run: the API validates and admits it, and stores nothing. */
export async function dryRun(
  client: KubeClient,
  { part, object }: SubmissionObject,
  { namespace, now }: { readonly namespace: string; readonly now: number },
): Promise<DryRun> {
  const { ownerReferences: _, ...metadata } = object.metadata;
  const sent: KubeResource = { ...object, metadata: { ...metadata, namespace } };
  try {
    const admitted = await client.create<KubeResource>({
      ...{ type: resourceTypeOf(object), namespace, object: sent, dryRun: true },
    });
    return { part, object, admitted };
  } catch (error) {
    if (!isSubmitError(error)) throw error;
    const rejection = statusOf(error)?.message ?? messageOf(error);
    return { part, object, rejection, diagnosis: diagnoseRejection(error, [], now) };
  }
}
