import { hasCode } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { resourceTypes } from "../../kube/resources.ts";
import type { KubeResource, ObjectMeta } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { mayHaveArrived } from "../../kube-client/network-error.ts";
import { backoff } from "../../net/backoff.ts";
import { limiter } from "../../net/limiter.ts";
import type { ApplicationRecord } from "../model/application.ts";
import { parseRecord } from "./parse-record.ts";
import type { RecordStore } from "./record-store.ts";

interface SecretStoreCall {
  readonly client: KubeClient;
  readonly host: Pick<Host, "clock" | "random">;
  /** Namespace of the gateway. */
  readonly namespace: string;
  /** Name of the gateway, which its records begin with. */
  readonly gateway: string;
  /** Reports a record that cannot be read. */
  readonly onUnreadable: (name: string, reason: string) => void;
}

const recordLabel = "firesteel.dev/gateway-record";
const recordField = "application.json";
const counterField = "next";
const type = resourceTypes.secret;

/** New records that are stored at the same time: each needs a connection, and thousands of clients can submit together. */
const maxConcurrentCreations = 32;

/** A Secret of the API. */
type Secret = KubeResource & { readonly data?: Readonly<Record<string, string>> };

/**
 * Keeps records as Secrets of the gateway's namespace: settings of applications can contain credentials.
 *
 * Each record is one object, so that one lost write cannot lose others. An update names the version that it replaces, so that the API
 * rejects it if another process has changed the record meanwhile.
 */
export function secretStore({ client, host, namespace, gateway, onUnreadable }: SecretStoreCall): RecordStore {
  const bounded = limiter(maxConcurrentCreations);
  const closed = new AbortController();
  /** Versions of the records by key, as this process knows them: also of those that it cannot read. */
  const versions = new Map<string, string>();
  /** Ends of the latest writes by key. */
  const writing = new Map<string, Promise<unknown>>();
  /** Keys of records that the API may have stored although it reported a failure. */
  const uncertain = new Set<string>();
  const nameOf = (key: string) => `${gateway}-${key}`;
  const keyOf = ({ name = "" }: ObjectMeta) => name.slice(nameOf("").length);
  const findSecret = (name: string) => find(client, namespace, name);
  const remember = (key: string, { metadata }: Secret) => void versions.set(key, metadata.resourceVersion ?? "");

  /** Writes after earlier writes of the same record: on several connections, they could overtake each other. */
  function inOrder<T>(key: string, write: () => Promise<T>): Promise<T> {
    const written = (writing.get(key) ?? Promise.resolve()).then(write);
    const settled = written
      .catch(() => {})
      .then(() => {
        if (writing.get(key) === settled) writing.delete(key);
      });
    writing.set(key, settled);
    return written;
  }

  function objectOf(record: ApplicationRecord): Secret {
    return {
      apiVersion: "v1",
      kind: "Secret",
      type: "firesteel.dev/application",
      metadata: { name: nameOf(record.key), namespace, labels: { [recordLabel]: gateway } },
      data: { [recordField]: encode(JSON.stringify(record)) },
    };
  }

  async function create(record: ApplicationRecord): Promise<boolean> {
    const { key } = record;
    if (uncertain.has(key)) throw new Error("It is not known yet whether an earlier request was stored.");
    const object = objectOf(record);
    try {
      remember(key, await bounded(() => client.create({ type, namespace, object })));
      return true;
    } catch (error) {
      if (mayHaveArrived(error)) void withdraw(key);
      if (!hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT")) throw error;
      // A repeated request finds the object of its first attempt, whose response was lost.
      const existing = await findSecret(nameOf(key));
      if (existing === undefined || existing.data?.[recordField] !== object.data?.[recordField]) return false;
      remember(key, existing);
      return true;
    }
  }

  /** Removes a record that the client of the gateway believes not to exist. */
  async function withdraw(key: string): Promise<void> {
    uncertain.add(key);
    const { wait } = backoff(host.clock, host.random);
    while (!closed.signal.aborted) {
      await wait(closed.signal);
      try {
        await client.delete({ type, namespace, name: nameOf(key) });
        uncertain.delete(key);
        return;
      } catch {
        // The next attempt can succeed.
      }
    }
  }

  async function update(record: ApplicationRecord): Promise<void> {
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
      const selection = { type, namespace, labelSelector: `${recordLabel}=${gateway}` };
      const records = await client.listSelected(selection, (secret: Secret) => {
        const { metadata, data = {} } = secret;
        remember(keyOf(metadata), secret);
        const result = parseRecord(decode(data[recordField] ?? ""));
        if (!result.ok) {
          onUnreadable(metadata.name ?? "", result.reason);
          return undefined;
        }
        return result.record;
      });
      return records.filter((record) => record !== undefined).sort((a, b) => a.number - b.number);
    },
    create: (record) => inOrder(record.key, () => create(record)),
    update: (record) => inOrder(record.key, () => update(record)),
    remove: (key) =>
      inOrder(key, async () => {
        await client.delete({ type, namespace, name: nameOf(key) });
        versions.delete(key);
      }),
    async removeLate() {
      const labelSelector = `${recordLabel}=${gateway}`;
      const { items } = await client.list<KubeResource>({ type, namespace, labelSelector, metadataOnly: true });
      const removed = await Promise.all(
        items.map(({ metadata: { name = "", uid = "" } }) => {
          const key = keyOf({ name });
          return inOrder(key, async () => {
            if (versions.has(key) || uncertain.has(key)) return [];
            return (await client.delete({ type, namespace, name, uid })) ? [key] : [];
          });
        }),
      );
      return removed.flat();
    },
    async reserveIds(count) {
      const name = `${gateway}-ids`;
      for (;;) {
        const counter = await findSecret(name);
        const first = Number(decode(counter?.data?.[counterField] ?? "") || "0");
        const data = { [counterField]: encode(String(first + count)) };
        try {
          if (counter === undefined) {
            const metadata = { name, namespace };
            await client.create<Secret>({
              type,
              namespace,
              object: { apiVersion: "v1", kind: "Secret", metadata, data },
            });
          } else {
            const { resourceVersion } = counter.metadata;
            await client.patch({ type, namespace, name, patch: { metadata: { resourceVersion }, data } });
          }
          return first;
        } catch (error) {
          // Another replica has reserved IDs meanwhile.
          if (!hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT")) throw error;
        }
      }
    },
    async close() {
      closed.abort();
    },
  };
}

async function find(client: KubeClient, namespace: string, name: string): Promise<Secret | undefined> {
  try {
    return await client.get<Secret>({ type, namespace, name });
  } catch (error) {
    if (hasCode(error, "SUBMIT_ERR_KUBE_NOT_FOUND")) return undefined;
    throw error;
  }
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64");
}

function decode(text: string): string {
  return Buffer.from(text, "base64").toString("utf8");
}
