import { type Issue, issue } from "../../../errors/issue.ts";
import { hasCode, isSubmitError, messageOf } from "../../../errors/submit-error.ts";
import { printReference, type ResourceType } from "../../../kube/resources.ts";
import { statusOf } from "../../../kube/status.ts";
import type { ObjectMeta } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";

/** An object that this submission created, or may have created when its answer got lost. */
export interface Creation {
  readonly type: ResourceType;
  readonly name: string;
  readonly namespace: string;
  /** Of what we created; `undefined` when the answer got lost. */
  readonly uid: string | undefined;
  /** Tells our object from one of the same name that somebody else made. */
  readonly isOwn: (metadata: ObjectMeta) => boolean;
  /** Others may come to need it: it goes only as long as it is ours and nobody changes it. @default false */
  readonly isShared?: boolean;
}

/** The object of a lost answer, if there is one and it is ours. */
export async function findCreated<T extends { readonly metadata?: ObjectMeta }>(
  client: KubeClient,
  { type, name, namespace, isOwn }: Omit<Creation, "uid">,
): Promise<T | undefined> {
  try {
    const found = await client.get<T>({ type, name, namespace });
    return isOwn(found.metadata ?? {}) ? found : undefined;
  } catch (error) {
    // So answers a server of HTTPS that is spoken to without encryption: it has done nothing.
    const isDeaf = statusOf(error)?.code === 400;
    if (isDeaf || hasCode(error, "SUBMIT_ERR_KUBE_NOT_FOUND")) return undefined;
    throw error;
  }
}

/**
 * Deletes what was created and nothing else: each object by its uid, the last first, and at the end what may have been
 * created.
 *
 * @returns what could not be deleted
 */
export async function undo(client: KubeClient, creations: readonly Creation[]): Promise<readonly Issue[]> {
  const left: Creation[] = [];
  const reasons = new Set<string>();
  let isSilent = false;
  const certain = creations.filter(({ uid }) => uid !== undefined);
  const doubtful = creations.filter(({ uid }) => uid === undefined);
  for (const creation of [...certain.toReversed(), ...doubtful.toReversed()]) {
    try {
      // After a server that does not answer, each further call would wait for its time limit, too.
      if (isSilent) left.push(creation);
      else await undoOne(client, creation);
    } catch (error) {
      left.push(creation);
      reasons.add(messageOf(error));
      isSilent = isSubmitError(error) && (error.kind === "unreachable" || error.kind === "timeout");
    }
  }
  const [first] = left;
  if (first === undefined) return [];
  const references = left.map(({ type, name }) => printReference(type, name));
  const reason = [...reasons].join("; ");
  return [issue("SUBMIT_ERR_CLEANUP_INCOMPLETE", { namespace: first.namespace, references, reason })];
}

async function undoOne(client: KubeClient, creation: Creation): Promise<void> {
  if (creation.isShared === true) return undoShared(client, creation);
  const { type, name, namespace } = creation;
  const uid = creation.uid ?? (await findCreated(client, creation))?.metadata?.uid;
  if (uid === undefined) return;
  try {
    await client.delete({ type, name, namespace, uid });
  } catch (error) {
    // A conflict about the uid: ours is gone, and this is a later one.
    if (!hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT")) throw error;
  }
}

/** How often an object may change under our hands before it is left alone. */
const attempts = 3;

async function undoShared(client: KubeClient, creation: Creation): Promise<void> {
  const { type, name, namespace } = creation;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
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
