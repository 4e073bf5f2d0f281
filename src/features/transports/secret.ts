import type { Secret } from "../../kube/types.ts";
import type { DriverConf } from "../../plan/driver-conf.ts";
import type { LocalizedDependencies } from "../../plan/localized-dependencies.ts";
import type { LocalizedEntry } from "../../plan/transports/localized-entry.ts";
import { base64Bytes, maxBytesPerSecret } from "../../plan/transports/secret.ts";
import { type Digest, entryDirectories } from "../../values/staged-entry.ts";
import type { Contribution } from "../step.ts";
import { depsVolume } from "./localizing-init-container.ts";

const readableByAll = 0o644;
const executableByAll = 0o755;

/** Adds Secrets with the files, which the driver's pod owns. */
export function contributeSecrets(driver: DriverConf, { entries }: LocalizedDependencies): Contribution {
  const groups = inSecrets(entries);
  const sources = groups.map((group, index) => ({
    secret: { name: secretName(driver, index), items: group.map(item) },
  }));
  return {
    volumes: [{ name: depsVolume, projected: { defaultMode: readableByAll, sources } }],
    resources: groups.map((group, index) => toSecret(driver, group, index)),
  };
}

/** Assigns files to Secrets; equal contents are stored once. */
function inSecrets(entries: readonly LocalizedEntry[]): readonly (readonly LocalizedEntry[])[] {
  const groups: { sizeBytes: number; entries: LocalizedEntry[] }[] = [];
  for (const entry of entries) {
    const same = groups.find((group) => group.entries.some(({ digest }) => digest === entry.digest));
    const size = base64Bytes(entry.size);
    const writablePart = same ?? groups.find(({ sizeBytes }) => sizeBytes + size <= maxBytesPerSecret);
    const group = writablePart ?? { sizeBytes: 0, entries: [] };
    if (writablePart === undefined) groups.push(group);
    if (same === undefined) group.sizeBytes += size;
    group.entries.push(entry);
  }
  return groups.map((group) => group.entries);
}

function toSecret(driver: DriverConf, entries: readonly LocalizedEntry[], index: number) {
  const data = entries.map(({ digest }): [string, string] => [keyOf(digest), contentOf(driver, digest)]);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: secretName(driver, index), namespace: driver.namespace },
    immutable: true,
    data: Object.fromEntries(data),
  } satisfies Secret;
}

function secretName({ resourceNamePrefix }: DriverConf, index: number): string {
  return `${resourceNamePrefix}-deps${index === 0 ? "" : `-${index + 1}`}`;
}

function contentOf({ facts }: DriverConf, digest: Digest): string {
  return facts.dependencies.find(({ content }) => content?.digest === digest)?.content?.base64 ?? "";
}

function keyOf(digest: Digest): string {
  return digest.replace(":", "-");
}

function item({ kind, name, digest, executable }: LocalizedEntry) {
  return {
    key: keyOf(digest),
    path: `${entryDirectories[kind]}/${name}`,
    ...(executable ? { mode: executableByAll } : {}),
  };
}
