import type { Protocol } from "../model/application.ts";
import type { Entry } from "./entry.ts";

/** Entries of applications in the order of acceptance, by everything that clients use to name them. */
export interface ApplicationIndex {
  readonly add: (entry: Entry) => void;
  /** Finds an application no more by what clients know of it, only by its key. */
  readonly forget: (entry: Entry) => void;
  readonly remove: (entry: Entry) => void;
  readonly get: (key: string) => Entry | undefined;
  readonly find: (protocol: Protocol, id: string) => Entry | undefined;
  readonly findName: (protocol: Protocol, name: string) => Entry | undefined;
  readonly findPod: (namespace: string, podName: string) => Entry | undefined;
  readonly findRequest: (protocol: Protocol, owner: string | undefined, idempotencyKey: string) => Entry | undefined;
  readonly all: () => Iterable<Entry>;
}

/** Creates an empty index. */
export function applicationIndex(): ApplicationIndex {
  const byKey = new Map<string, Entry>();
  /** Keys by identity. */
  const keys = new Map<string, string>();
  const add = (entry: Entry) => {
    // The driver of another attempt has another name.
    const before = byKey.get(entry.record.key);
    if (before !== undefined) forget(before);
    byKey.set(entry.record.key, entry);
    if (entry.record.isRemoved === true) return;
    for (const identity of identitiesOf(entry)) keys.set(identity, entry.record.key);
  };
  const forget = (entry: Entry) => {
    const { key } = entry.record;
    for (const identity of identitiesOf(entry)) if (keys.get(identity) === key) keys.delete(identity);
  };
  const lookUp = (...parts: readonly (string | undefined)[]) => {
    const key = keys.get(JSON.stringify(parts));
    return key === undefined ? undefined : byKey.get(key);
  };
  return {
    add,
    forget,
    remove(entry) {
      forget(entry);
      byKey.delete(entry.record.key);
    },
    get: (key) => byKey.get(key),
    find: (protocol, id) => lookUp("id", protocol, id),
    findName: (protocol, name) => lookUp("name", protocol, name),
    findPod: (namespace, podName) => lookUp("pod", namespace, podName),
    findRequest: (protocol, owner, idempotencyKey) => lookUp("request", protocol, owner, idempotencyKey),
    all: () => byKey.values(),
  };
}

function identitiesOf({ record }: Entry): readonly string[] {
  const { protocol, id, name, owner, idempotencyKey, namespace, podName } = record;
  return [
    ["id", protocol, id],
    ["pod", namespace, podName],
    ...(name === undefined ? [] : [["name", protocol, name]]),
    ...(idempotencyKey === undefined ? [] : [["request", protocol, owner, idempotencyKey]]),
  ].map((parts) => JSON.stringify(parts));
}
