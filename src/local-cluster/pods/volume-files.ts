import type { Volume } from "../../kube/types.ts";
import { isObject } from "../api/json.ts";
import type { Store } from "../api/store.ts";
import { type PodFacts, podField, resourceField } from "./pod-fields.ts";
import { isConfigMap, isSecret } from "./stored-object.ts";

/** Files of a volume by their path in it. */
export type VolumeFiles = ReadonlyMap<string, VolumeFile>;

interface VolumeFile {
  readonly content: Uint8Array;
  readonly mode: number;
}

interface VolumeSources {
  readonly store: Store;
  readonly facts: PodFacts;
  /** Returns a token; `undefined` when the pod's service account does not exist. */
  readonly tokenFor: (projection: TokenProjection) => string | undefined;
}

/** Token in a volume; without an audience it is for the API itself. */
export interface TokenProjection {
  readonly audience: string | undefined;
  readonly expirationSeconds: number;
}

type Projection = NonNullable<NonNullable<Volume["projected"]>["sources"]>[number];
type KeyToPath = { readonly key: string; readonly path: string; readonly mode?: number };

const defaultMode = 0o644;

/**
 * Builds the files of a volume with API data: configMap, secret, downwardAPI or projected.
 *
 * @returns `undefined` for any other volume; `problem` with the kubelet's message when an object or key is missing.
 */
export function volumeFiles(
  sources: VolumeSources,
  volume: Volume,
): { readonly files: VolumeFiles } | { readonly problem: string } | undefined {
  const { configMap, secret, downwardAPI, projected } = volume;
  const parts: { readonly projection: Projection; readonly mode: number }[] = [];
  if (configMap !== undefined) {
    parts.push({ projection: { configMap }, mode: configMap.defaultMode ?? defaultMode });
  } else if (secret !== undefined) {
    const { secretName, ...rest } = secret;
    const named = secretName === undefined ? rest : { ...rest, name: secretName };
    parts.push({ projection: { secret: named }, mode: secret.defaultMode ?? defaultMode });
  } else if (downwardAPI !== undefined) {
    parts.push({ projection: { downwardAPI }, mode: downwardAPI.defaultMode ?? defaultMode });
  } else if (projected !== undefined) {
    const mode = projected.defaultMode ?? defaultMode;
    for (const projection of projected.sources ?? []) parts.push({ projection, mode });
  } else {
    return undefined;
  }
  const files = new Map<string, VolumeFile>();
  for (const { projection, mode } of parts) {
    const problem = addProjection(sources, files, projection, mode);
    if (problem !== undefined) return { problem };
  }
  return { files };
}

function addProjection(
  sources: VolumeSources,
  files: Map<string, VolumeFile>,
  { configMap, secret, downwardAPI, serviceAccountToken }: Projection,
  mode: number,
): string | undefined {
  if (configMap !== undefined) {
    const data = configMapContent(sources, configMap.name ?? "");
    return addKeys(files, data, { ...configMap, mode, kind: "configmap", keyKind: "config" });
  }
  if (secret !== undefined) {
    const data = secretContent(sources, secret.name ?? "");
    return addKeys(files, data, { ...secret, mode, kind: "secret", keyKind: "secret" });
  }
  if (serviceAccountToken !== undefined) {
    const { audience, expirationSeconds = 3600, path } = serviceAccountToken;
    const token = sources.tokenFor({ audience, expirationSeconds });
    const { serviceAccountName = "default" } = sources.facts.pod.spec;
    if (token === undefined) return `failed to fetch token: serviceaccounts "${serviceAccountName}" not found`;
    files.set(path, { content: Buffer.from(token), mode });
  }
  for (const item of downwardAPI?.items ?? []) {
    const text = downwardText(sources.facts, item);
    if (text === undefined) return `unsupported field of ${item.path}`;
    files.set(item.path, { content: Buffer.from(text), mode: item.mode ?? mode });
  }
  return undefined;
}

type DownwardItem = NonNullable<NonNullable<Volume["downwardAPI"]>["items"]>[number];

function downwardText(facts: PodFacts, { fieldRef, resourceFieldRef }: DownwardItem): string | undefined {
  if (fieldRef !== undefined) return podField(facts, fieldRef.fieldPath);
  return resourceFieldRef === undefined ? undefined : resourceField(facts, resourceFieldRef);
}

interface KeySelection {
  readonly name?: string;
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
  readonly mode: number;
  readonly kind: "configmap" | "secret";
  readonly keyKind: "config" | "secret";
}

function addKeys(
  files: Map<string, VolumeFile>,
  data: ReadonlyMap<string, Uint8Array> | undefined,
  { name = "", items = [], optional = false, mode, kind, keyKind }: KeySelection,
): string | undefined {
  if (data === undefined) return optional ? undefined : `${kind} "${name}" not found`;
  if (items.length === 0) {
    for (const [key, content] of data) files.set(key, { content, mode });
    return undefined;
  }
  for (const item of items) {
    const content = data.get(item.key);
    if (content !== undefined) files.set(item.path, { content, mode: item.mode ?? mode });
    else if (!optional) return `references non-existent ${keyKind} key: ${item.key}`;
  }
  return undefined;
}

function configMapContent({ store, facts }: VolumeSources, name: string) {
  const object = store.get("configmaps", facts.pod.metadata.namespace, name);
  if (object === undefined || !isConfigMap(object)) return undefined;
  return new Map<string, Uint8Array>([...entries(object.data, "utf8"), ...entries(object.binaryData, "base64")]);
}

function secretContent({ store, facts }: VolumeSources, name: string) {
  const object = store.get("secrets", facts.pod.metadata.namespace, name);
  return object === undefined || !isSecret(object) ? undefined : new Map(entries(object.data, "base64"));
}

function entries(data: unknown, encoding: "utf8" | "base64"): [string, Uint8Array][] {
  return Object.entries(isObject(data) ? data : {}).map(([key, value]) => [
    key,
    Buffer.from(typeof value === "string" ? value : "", encoding),
  ]);
}
