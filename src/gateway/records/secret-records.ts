import { hasCode } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { resourceTypes } from "../../kube/resources.ts";
import type { KubeResource, ObjectMeta } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { findObject } from "../../kube-client/find-object.ts";
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

/** State of an object that a deletion names, so that it deletes nothing else. */
interface Version {
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

/**
 * Keeps records as Secrets of the gateway's namespace: settings of applications can contain credentials.
 *
 * Each record is one object, so that one lost write cannot lose others. An update and a deletion name the version that they replace, so that
 * the API rejects them if they arrive after a later write, or after one of another process.
 */
export function secretRecords<R extends { readonly key: string }>(
  { client, host, namespace, gateway, onUnreadable, signal }: SecretRecordsCall,
  { secretType, label, field, parse }: RecordForm<R>,
): SecretRecords<R> {
  const bounded = limiter(maxConcurrentCreations);
  /** Versions of the records by key, as this process knows them: also of those that it cannot read. */
  const versions = new Map<string, Version>();
  /** Writes of the same record on several connections could overtake each other. */
  const { run: inOrder } = keyedQueue();
  /** Keys of records to delete, because the API may have stored them although it reported a failure. */
  const unremoved = new Set<string>();
  const nameOf = (key: string) => `${gateway}-${key}`;
  const keyOf = ({ name = "" }: ObjectMeta) => name.slice(nameOf("").length);
  const targetOf = (key: string) => ({ type, namespace, name: nameOf(key) });
  const versionOf = ({ metadata: { uid, resourceVersion } }: KubeResource): Version => ({ uid, resourceVersion });
  const remember = (key: string, secret: Secret) => void versions.set(key, versionOf(secret));

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
      const existing = await findObject<Secret>(client, targetOf(key));
      if (existing === undefined || existing.data?.[field] !== object.data?.[field]) return false;
      remember(key, existing);
      return true;
    }
  }

  async function remove(key: string): Promise<void> {
    const deleteVersion = (version: Version) => client.delete({ ...targetOf(key), ...version });
    const deleteKnown = async (version: Version) => {
      try {
        await deleteVersion(version);
        return true;
      } catch (error) {
        if (hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT")) return false;
        throw error;
      }
    };
    const known = versions.get(key);
    if (known === undefined || !(await deleteKnown(known))) {
      // It may not exist, or its latest write was one whose response was lost, or one of a process that led before.
      const existing = await findObject(client, targetOf(key));
      if (existing !== undefined) await deleteVersion(versionOf(existing));
    }
    versions.delete(key);
  }

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
        try {
          await inOrder(key, () => remove(key));
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
    const { key } = record;
    const { data } = objectOf(record);
    const write = async (resourceVersion: string | undefined) =>
      remember(key, await client.patch({ ...targetOf(key), patch: { metadata: { resourceVersion }, data } }));
    try {
      await write(versions.get(key)?.resourceVersion);
    } catch (error) {
      if (!hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT")) throw error;
      // An earlier write of this process whose response was lost, or one of a process that led before: the leader's is the last.
      const { metadata } = await client.get<Secret>(targetOf(key));
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
    remove: (key) => inOrder(key, () => remove(key)),
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

/** Returns a text as a value of a Secret. */
export function encode(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** Returns the text of a value of a Secret. */
export function decode(text: string): string {
  return Buffer.from(text, "base64").toString("utf8");
}
