import { hasCode } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { resourceTypes } from "../../kube/resources.ts";
import type { KubeResource, ObjectMeta } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { mayHaveArrived } from "../../kube-client/network-error.ts";
import { backoff } from "../../net/backoff.ts";
import { keyedQueue } from "../../net/keyed-queue.ts";
import { limiter } from "../../net/limiter.ts";
import type { ParsedRecord } from "./parse-record.ts";
import type { Records } from "./record-store.ts";

/** Place of the records of a gateway. */
export interface SecretRecordsCall {
  readonly client: KubeClient;
  readonly host: Pick<Host, "clock" | "random">;
  /** Namespace of the gateway. */
  readonly namespace: string;
  /** Name of the gateway, which its records begin with. */
  readonly gateway: string;
  /** Reports a record that cannot be read. */
  readonly onUnreadable: (name: string, reason: string) => void;
  /** Aborts when the gateway stops. */
  readonly signal: AbortSignal;
}

/** Form of the Secrets of one kind of record. */
interface RecordForm<R> {
  readonly secretType: string;
  /** Label whose value is the gateway. */
  readonly label: string;
  /** Key of the data. */
  readonly field: string;
  readonly parse: (text: string) => ParsedRecord<R>;
}

const type = resourceTypes.secret;

/** New records that are stored at the same time: each needs a connection, and thousands of clients can submit together. */
const maxConcurrentCreations = 32;

/** Records that are Secrets. */
export interface SecretRecords<R> extends Records<R> {
  /** Removes the records that neither `list` nor `create` of this process has seen, and returns their keys. @throws SubmitError */
  readonly removeLate: () => Promise<readonly string[]>;
}

/** A Secret of the API. */
export type Secret = KubeResource & { readonly data?: Readonly<Record<string, string>> };

/**
 * Keeps records as Secrets of the gateway's namespace: settings of applications can contain credentials.
 *
 * Each record is one object, so that one lost write cannot lose others. An update names the version that it replaces, so that the API
 * rejects it if another process has changed the record meanwhile.
 */
export function secretRecords<R extends { readonly key: string }>(
  { client, host, namespace, gateway, onUnreadable, signal }: SecretRecordsCall,
  { secretType, label, field, parse }: RecordForm<R>,
): SecretRecords<R> {
  const bounded = limiter(maxConcurrentCreations);
  /** Versions of the records by key, as this process knows them: also of those that it cannot read. */
  const versions = new Map<string, string>();
  /** Writes of the same record on several connections could overtake each other. */
  const { run: inOrder } = keyedQueue();
  /** Keys of records to delete: those whose deletion failed, and those that the API may have stored although it reported a failure. */
  const unremoved = new Set<string>();
  const nameOf = (key: string) => `${gateway}-${key}`;
  const keyOf = ({ name = "" }: ObjectMeta) => name.slice(nameOf("").length);
  const remember = (key: string, { metadata }: Secret) => void versions.set(key, metadata.resourceVersion ?? "");

  function objectOf(record: R): Secret {
    return {
      apiVersion: "v1",
      kind: "Secret",
      type: secretType,
      metadata: { name: nameOf(record.key), namespace, labels: { [label]: gateway } },
      data: { [field]: encode(JSON.stringify(record)) },
    };
  }

  async function create(record: R): Promise<boolean> {
    const { key } = record;
    if (unremoved.has(key)) throw new Error("It is not known yet whether an earlier request was stored.");
    const object = objectOf(record);
    try {
      remember(key, await bounded(() => client.create({ type, namespace, object })));
      return true;
    } catch (error) {
      // Its client believes that it does not exist.
      if (mayHaveArrived(error)) removeLater(key);
      if (!hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT")) throw error;
      // A repeated request finds the object of its first attempt, whose response was lost.
      const existing = await findSecret(client, namespace, nameOf(key));
      if (existing === undefined || existing.data?.[field] !== object.data?.[field]) return false;
      remember(key, existing);
      return true;
    }
  }

  const deleteSecret = (key: string) => client.delete({ type, namespace, name: nameOf(key) });

  function removeLater(key: string): void {
    const isRunning = unremoved.size > 0;
    unremoved.add(key);
    if (!isRunning) void removeAll();
  }

  /** Deletes one after the other: the API may be away for long, and thousands of timers would only wait. */
  async function removeAll(): Promise<void> {
    const { wait } = backoff(host.clock, host.random);
    while (unremoved.size > 0) {
      await wait(signal);
      for (const key of [...unremoved]) {
        if (signal.aborted) return;
        if (!unremoved.has(key)) continue;
        try {
          await deleteSecret(key);
          unremoved.delete(key);
        } catch {
          // Last, so that one that cannot be deleted does not delay the others.
          unremoved.delete(key);
          unremoved.add(key);
          break;
        }
      }
    }
  }

  async function update(record: R): Promise<void> {
    // A record whose deletion failed is still used.
    unremoved.delete(record.key);
    const { data } = objectOf(record);
    const name = nameOf(record.key);
    const write = async (resourceVersion: string | undefined) =>
      remember(
        record.key,
        await client.patch({ type, namespace, name, patch: { metadata: { resourceVersion }, data } }),
      );
    try {
      await write(versions.get(record.key));
    } catch (error) {
      if (!hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT")) throw error;
      // An earlier write of this process whose response was lost, or one of a process that led before: the leader's is the last.
      const { metadata } = await client.get<Secret>({ type, namespace, name });
      await write(metadata.resourceVersion);
    }
  }

  return {
    async list() {
      const selection = { type, namespace, labelSelector: `${label}=${gateway}` };
      const records = await client.listSelected(selection, (secret: Secret) => {
        const { metadata, data = {} } = secret;
        remember(keyOf(metadata), secret);
        const result = parse(decode(data[field] ?? ""));
        if (!result.ok) {
          onUnreadable(metadata.name ?? "", result.reason);
          return undefined;
        }
        return result.record;
      });
      return records.filter((record) => record !== undefined);
    },
    create: (record) => inOrder(record.key, () => create(record)),
    update: (record) => inOrder(record.key, () => update(record)),
    remove: (key) =>
      inOrder(key, async () => {
        versions.delete(key);
        try {
          await deleteSecret(key);
        } catch (error) {
          removeLater(key);
          throw error;
        }
      }),
    async removeLate() {
      const labelSelector = `${label}=${gateway}`;
      const { items } = await client.list<KubeResource>({ type, namespace, labelSelector, metadataOnly: true });
      const removed = await Promise.all(
        items.map(({ metadata: { name = "", uid = "" } }) => {
          const key = keyOf({ name });
          return inOrder(key, async () => {
            if (versions.has(key) || unremoved.has(key)) return [];
            return (await client.delete({ type, namespace, name, uid })) ? [key] : [];
          });
        }),
      );
      return removed.flat();
    },
  };
}

/** Reads a Secret; `undefined` if there is none. @throws SubmitError */
export async function findSecret(client: KubeClient, namespace: string, name: string): Promise<Secret | undefined> {
  try {
    return await client.get<Secret>({ type, namespace, name });
  } catch (error) {
    if (hasCode(error, "SUBMIT_ERR_KUBE_NOT_FOUND")) return undefined;
    throw error;
  }
}

/** Returns a text as a value of a Secret. */
export function encode(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** Returns the text of a value of a Secret. */
export function decode(text: string): string {
  return Buffer.from(text, "base64").toString("utf8");
}
