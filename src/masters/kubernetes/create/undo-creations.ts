import { type Issue, issue } from "../../../errors/issue.ts";
import { hasCode, isSubmitError, messageOf, SubmitError } from "../../../errors/submit-error.ts";
import { printReference, type ResourceType } from "../../../kube/resources.ts";
import { statusOf } from "../../../kube/status.ts";
import type { ObjectMeta } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";

/** An object that this submission created, or may have created if the response was lost. */
export interface Creation {
  readonly type: ResourceType;
  readonly name: string;
  readonly namespace: string;
  /** UID in the response; `undefined` if the response was lost. */
  readonly uid: string | undefined;
  /** Returns whether this submission created an object of the same name. */
  readonly isOwn: (metadata: ObjectMeta) => boolean;
  /** Whether concurrent attempts can use it. Such an object is deleted only if it is unchanged. @default false */
  readonly isShared?: boolean;
}

/** Fetches the object of a lost response, if it exists and this submission created it. */
export async function findCreated<T extends { readonly metadata?: ObjectMeta }>(
  client: KubeClient,
  { type, name, namespace, isOwn }: Omit<Creation, "uid">,
): Promise<T | undefined> {
  try {
    const found = await client.get<T>({ type, name, namespace });
    return isOwn(found.metadata ?? {}) ? found : undefined;
  } catch (error) {
    // An HTTPS server responds with 400 to a request without encryption, and has created nothing.
    const isPlainRequest = statusOf(error)?.code === 400;
    if (isPlainRequest || hasCode(error, "SUBMIT_ERR_KUBE_NOT_FOUND")) return undefined;
    throw error;
  }
}

/**
 * Deletes exactly the created objects by UID, the pod first, so that no pod waits for a missing object. Looks again at the
 * end for those that may have been created: their requests may arrive late.
 *
 * @returns issues for the objects that could not be deleted
 */
export async function undo(client: KubeClient, creations: readonly Creation[]): Promise<readonly Issue[]> {
  const left = new Set<Creation>();
  const reasons = new Set<string>();
  let isUnreachable = false;
  const isPod = ({ type }: Creation) => type.kind === "Pod";
  const reversed = creations.toReversed();
  // The requests that name the pod as the owner follow it, so that its place alone does not make it the first one.
  const ordered = [...reversed.filter(isPod), ...reversed.filter((creation) => !isPod(creation))];
  for (const creation of [...ordered, ...ordered.filter(({ uid }) => uid === undefined)]) {
    try {
      // If the server does not respond, every further call would time out, too.
      if (isUnreachable) left.add(creation);
      else {
        await undoOne(client, creation);
        left.delete(creation);
      }
    } catch (error) {
      left.add(creation);
      reasons.add(messageOf(error));
      isUnreachable = isSubmitError(error) && (error.kind === "unreachable" || error.kind === "timeout");
    }
  }
  const [first] = left;
  if (first === undefined) return [];
  const references = Array.from(left, ({ type, name }) => printReference(type, name));
  const reason = [...reasons].join("; ");
  return [issue("SUBMIT_ERR_CLEANUP_INCOMPLETE", { namespace: first.namespace, references, reason })];
}

/** Returns the error with further issues, such as those of an incomplete cleanup. Only a SubmitError can have them. */
export function withFurtherIssues(error: unknown, issues: readonly Issue[]): unknown {
  if (!isSubmitError(error) || issues.length === 0) return error;
  return new SubmitError([...error.issues, ...issues], { cause: error.cause });
}

async function undoOne(client: KubeClient, creation: Creation): Promise<void> {
  if (creation.isShared === true) return undoShared(client, creation);
  const { type, name, namespace } = creation;
  const uid = creation.uid ?? (await findCreated(client, creation))?.metadata?.uid;
  if (uid === undefined) return;
  try {
    await client.delete({ type, name, namespace, uid });
  } catch (error) {
    // A conflict of UIDs: the created object was deleted, and this is a newer one.
    if (!hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT")) throw error;
  }
}

/** Limit of attempts to delete a shared object that changes concurrently. */
const maxAttempts = 3;

async function undoShared(client: KubeClient, creation: Creation): Promise<void> {
  const { type, name, namespace } = creation;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const { uid, resourceVersion } = (await findCreated(client, creation))?.metadata ?? {};
    const isAnother = creation.uid !== undefined && uid !== creation.uid;
    if (uid === undefined || resourceVersion === undefined || isAnother) return;
    try {
      await client.delete({ type, name, namespace, uid, resourceVersion });
      return;
    } catch (error) {
      if (!hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT")) throw error;
    }
  }
}
