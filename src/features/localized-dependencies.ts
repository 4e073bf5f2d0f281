import { type Issue, issue } from "../errors/issue.ts";
import type { Secret, VolumeMount } from "../kube/types.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import type { LocalizedDependencies } from "../plan/localized-dependencies.ts";
import type { LocalizedEntry } from "../plan/localized-entries.ts";
import { base64Bytes, largestSecretBytes } from "../plan/staging-transport.ts";
import { type Digest, entryFolders, workDirectory } from "../values/staged-entry.ts";
import { contributeLocalizing, depsVolume, localizeVolume } from "./localizing-init-container.ts";
import { volumeMounts } from "./mount-volumes.ts";
import type { Contribution } from "./step.ts";

const workVolumeName = "firesteel-work-dir";
const ourNames: readonly string[] = [depsVolume, localizeVolume, workVolumeName];
const readableByAll = 0o644;
const executableByAll = 0o755;

/** What stands in the way of the volume: it is ours alone, whatever template and settings mount. */
export function localizedIssues(driver: DriverConf): readonly Issue[] {
  const { directory = "" } = driver.staged.localized ?? {};
  const { template } = driver;
  const { volumes: templateVolumes = [], initContainers = [] } = template?.pod.spec ?? {};
  const templateMounts = template?.container.volumeMounts ?? [];
  const isOurs = ({ name }: { readonly name: string }) => ourNames.includes(name);
  const isInTheWay = ({ name, mountPath }: VolumeMount) =>
    isOurs({ name }) || withoutSlash(mountPath) === directory;
  const found = [
    ...templateVolumes.filter(isOurs).map(() => "a volume of the pod template"),
    ...initContainers.filter(isOurs).map(() => "an init container of the pod template"),
    ...templateMounts.filter(isInTheWay).map(() => "a mount of the pod template"),
    ...volumeMounts(driver)
      .filter(isInTheWay)
      .map(({ name }) => `the volume ${name} of the settings`),
  ];
  const [what] = found;
  return what === undefined ? [] : [issue("SUBMIT_ERR_STAGING_CLASH", { what, name: depsVolume, directory })];
}

/** The folder with the files, as a volume of the driver. */
export function contributeLocalized(driver: DriverConf): Contribution {
  const { localized } = driver.staged;
  if (localized === undefined) return {};
  const { volumes = [], ...rest } =
    localized.transport === "secret"
      ? inSecretVolume(driver, localized)
      : contributeLocalizing(driver, localized);
  const hasWorkVolume = isWorkDirectoryReadOnly(driver);
  return {
    ...rest,
    volumes: [...volumes, ...(hasWorkVolume ? [{ name: workVolumeName, emptyDir: {} }] : [])],
    mounts: [
      { name: depsVolume, mountPath: localized.directory, readOnly: true },
      ...(hasWorkVolume ? [{ name: workVolumeName, mountPath: workDirectory }] : []),
    ],
  };
}

/** Secrets that the driver's pod owns. */
function inSecretVolume(driver: DriverConf, { entries }: LocalizedDependencies): Contribution {
  const groups = inSecrets(entries);
  const sources = groups.map((group, index) => ({
    secret: { name: secretName(driver, index), items: group.map(item) },
  }));
  return {
    volumes: [{ name: depsVolume, projected: { defaultMode: readableByAll, sources } }],
    resources: groups.map((group, index) => toSecret(driver, group, index)),
  };
}

/** Spark copies its files there, whatever the root file system allows. */
function isWorkDirectoryReadOnly(driver: DriverConf): boolean {
  const { securityContext, volumeMounts: templateMounts = [] } = driver.template?.container ?? {};
  const mounts = [...templateMounts, ...volumeMounts(driver)];
  return (
    securityContext?.readOnlyRootFilesystem === true &&
    mounts.every(({ mountPath }) => withoutSlash(mountPath) !== workDirectory)
  );
}

/** What goes into each Secret; the same content is in one only. */
function inSecrets(entries: readonly LocalizedEntry[]): readonly (readonly LocalizedEntry[])[] {
  const groups: { sizeBytes: number; entries: LocalizedEntry[] }[] = [];
  for (const entry of entries) {
    const same = groups.find((group) => group.entries.some(({ digest }) => digest === entry.digest));
    const size = base64Bytes(entry.size);
    const roomy = same ?? groups.find(({ sizeBytes }) => sizeBytes + size <= largestSecretBytes);
    const group = roomy ?? { sizeBytes: 0, entries: [] };
    if (roomy === undefined) groups.push(group);
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
    path: `${entryFolders[kind]}/${name}`,
    ...(executable ? { mode: executableByAll } : {}),
  };
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, "");
}
