import { hasCode } from "../../errors/submit-error.ts";
import { resourceTypes } from "../../kube/resources.ts";
import type { KubeResource } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { limiter } from "../../net/limiter.ts";
import type { ApplicationRecord } from "../model/application.ts";
import { parseRecord } from "./parse-record.ts";
import type { RecordStore } from "./record-store.ts";

interface SecretStoreCall {
  readonly client: KubeClient;
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

/** New records that are stored at the same time: each needs a connection, and thousands of clients can submit together. */
const maxConcurrentCreations = 32;

/** A Secret of the API. */
type Secret = KubeResource & { readonly data?: Readonly<Record<string, string>> };

/**
 * Keeps records as Secrets of the gateway's namespace: settings of applications can contain credentials.
 *
 * Each record is one object, so that one lost write cannot lose others.
 */
export function secretStore({ client, namespace, gateway, onUnreadable }: SecretStoreCall): RecordStore {
  const type = resourceTypes.secret;
  const bounded = limiter(maxConcurrentCreations);
  const nameOf = (key: string) => `${gateway}-${key}`;
  const objectOf = (record: ApplicationRecord): Secret => ({
    apiVersion: "v1",
    kind: "Secret",
    type: "firesteel.dev/application",
    metadata: { name: nameOf(record.key), namespace, labels: { [recordLabel]: gateway } },
    data: { [recordField]: encode(JSON.stringify(record)) },
  });
  return {
    async list() {
      const call = { type, namespace, labelSelector: `${recordLabel}=${gateway}` };
      const records = await client.listSelected(call, ({ metadata, data = {} }: Secret) => {
        const result = parseRecord(decode(data[recordField] ?? ""));
        if (result.ok) return result.record;
        onUnreadable(metadata.name ?? "", result.reason);
        return undefined;
      });
      return records.filter((record) => record !== undefined).sort((a, b) => a.number - b.number);
    },
    async create(record) {
      try {
        await bounded(() => client.create({ type, namespace, object: objectOf(record) }));
        return true;
      } catch (error) {
        if (hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT")) return false;
        throw error;
      }
    },
    async update(record) {
      const { data } = objectOf(record);
      await client.patch({ type, namespace, name: nameOf(record.key), patch: { data } });
    },
    async remove(key) {
      await client.delete({ type, namespace, name: nameOf(key) });
    },
    async reserveIds(count) {
      const name = `${gateway}-ids`;
      for (;;) {
        const counter = await findCounter(client, namespace, name);
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
    close: async () => {},
  };
}

async function findCounter(client: KubeClient, namespace: string, name: string): Promise<Secret | undefined> {
  try {
    return await client.get<Secret>({ type: resourceTypes.secret, namespace, name });
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
