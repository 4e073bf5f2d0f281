import { messageOf } from "../../errors/message-of.ts";
import type { Files } from "../../host/host.ts";
import { removeTree } from "../../host/remove-tree.ts";
import type { Container, Volume, VolumeMount } from "../../kube/types.ts";
import { ownMember } from "../../values/own-member.ts";
import { entryBeneath } from "../sandbox/beneath.ts";
import { cleanPath } from "../sandbox/container-path.ts";
import type { Mount } from "../sandbox/sandbox.ts";
import { locateClaim } from "./claims.ts";
import { expandVariables } from "./expand-variables.ts";
import { type FileVolume, fileVolume } from "./file-volume.ts";
import { hostPath } from "./host-path.ts";
import type { NodeContext } from "./node-context.ts";
import type { PodFacts } from "./pod-fields.ts";
import { type LimitedDirectory, limitedVolume } from "./storage-watch.ts";
import { containersOf, type StoredPod } from "./stored-object.ts";
import { type TokenProjection, volumeFiles } from "./volume-files.ts";

interface VolumeOptions {
  /** With `isFake`, missing objects are reported, but no files created. */
  readonly context: Pick<NodeContext, "host" | "store" | "claims" | "hostPathRoots" | "privateDirectories" | "isFake">;
  readonly pod: StoredPod;
  /** Directory for this pod's volumes. */
  readonly directory: string;
  /** Memory-backed directory for this pod's volumes of medium Memory. */
  readonly memoryDirectory: string;
  /** Read again for each change, because the pod gets its address after its volumes. */
  readonly facts: () => PodFacts;
  readonly tokenFor: (projection: TokenProjection) => string | undefined;
}

/** Volumes of one pod, as directories and files of this machine. */
export interface PodVolumes {
  /**
   * Creates the volumes, and returns the kubelet's message for each one that failed: `MountVolume.SetUp failed for
   * …`.
   */
  readonly setUp: () => readonly string[];
  /**
   * Updates volumes from their objects; a volume whose object is missing keeps its files. Returns a message for each
   * volume that could not be written.
   */
  readonly refresh: () => readonly string[];
  /** Returns the mounts of a container; `problem` when a path in a volume is not available. */
  readonly mountsOf: (
    container: Container,
    env: Readonly<Record<string, string>>,
  ) => { readonly mounts: readonly Mount[] } | { readonly problem: string };
  /** Lists the existing volumes with a size limit. */
  readonly limited: () => readonly LimitedDirectory[];
  readonly remove: () => void;
}

/** Location of an existing volume. */
interface VolumeLocation {
  readonly path: string;
  /** Identity of a path that pods may be able to replace. */
  readonly identity?: string;
  /** Whether it is a path of this machine that a pod or a persistent volume names. */
  readonly isHostPath?: true;
  readonly readOnly: boolean;
  /** Whether it contains small text files from API objects. */
  readonly texts: boolean;
}

interface VolumesState {
  readonly options: VolumeOptions;
  /** Volumes of the pod that a container mounts. */
  readonly volumes: readonly Volume[];
  /** Existing volumes by name. */
  readonly locations: Map<string, VolumeLocation>;
  /** Writers of the volumes that show objects. */
  readonly shown: Map<string, FileVolume>;
}

/** Creates the volumes of one pod; nothing is created before `setUp`. */
export function podVolumes(options: VolumeOptions): PodVolumes {
  const { context, pod, directory, memoryDirectory } = options;
  const { files } = context.host;
  const state: VolumesState = { options, volumes: mountedVolumes(pod), locations: new Map(), shown: new Map() };
  return {
    setUp: () => setUpVolumes(state),
    refresh: () => refreshVolumes(state),
    mountsOf: (container, env) => mountsOf(state, container, env),
    limited: () => (context.isFake ? [] : limitedVolumes(state)),
    remove() {
      removeTree(files, directory);
      removeTree(files, memoryDirectory);
      state.locations.clear();
      state.shown.clear();
    },
  };
}

function setUpVolumes({ options, volumes, locations, shown }: VolumesState): readonly string[] {
  const problems: string[] = [];
  for (const volume of volumes) {
    if (locations.has(volume.name)) continue;
    const location = tryMakeVolume(options, volume, shown);
    if ("problem" in location) problems.push(failedSetUp(volume, location.problem));
    else locations.set(volume.name, location);
  }
  return problems;
}

function refreshVolumes({ options, volumes, shown }: VolumesState): readonly string[] {
  return volumes.flatMap((volume) => {
    const writer = shown.get(volume.name);
    const content = writer && volumeFiles(sourcesOf(options), volume);
    if (content === undefined || "problem" in content) return [];
    try {
      writer?.write(content.files);
      return [];
    } catch (error) {
      return [failedSetUp(volume, messageOf(error))];
    }
  });
}

function mountsOf(
  { options, locations }: VolumesState,
  { name: container, volumeMounts = [] }: Container,
  env: Readonly<Record<string, string>>,
): ReturnType<PodVolumes["mountsOf"]> {
  if (options.context.isFake) return { mounts: [] };
  const { privateDirectories: directories } = options.context;
  const mounts: Mount[] = [];
  // As container runtimes do, place a mount before those inside it.
  const depth = ({ mountPath }: VolumeMount) => cleanPath(mountPath).split("/").length;
  for (const mount of [...volumeMounts].sort((a, b) => depth(a) - depth(b))) {
    const location = locations.get(mount.name);
    if (location === undefined) return { problem: `volume "${mount.name}" does not exist` };
    const missing = missingVariable(mount, env);
    if (missing !== undefined) return { problem: `missing value for ${missing}` };
    const { files } = options.context.host;
    const source = sourceOf(files, location, mount, env);
    if (source === undefined)
      return { problem: `failed to prepare subPath for volumeMount "${mount.name}" of container "${container}"` };
    if ("problem" in source) return source;
    const readOnly = location.readOnly || mount.readOnly === true;
    const target = cleanPath(mount.mountPath);
    const { path, identity } = source;
    mounts.push({
      ...{ kind: "bind", source: path, target, readOnly },
      ...(identity === undefined ? {} : { identity }),
      ...(location.texts ? { texts: true } : {}),
    });
    if (location.isHostPath !== true) continue;
    if (directories.contain(path)) return { problem: privateProblem(path) };
    mounts.push(...directories.masks(path, target));
  }
  return { mounts };
}

function limitedVolumes({ volumes, locations }: VolumesState): readonly LimitedDirectory[] {
  return volumes.flatMap(({ name, emptyDir }) => {
    const location = locations.get(name);
    const limit = emptyDir?.sizeLimit;
    return location === undefined || limit === undefined ? [] : limitedVolume(name, location.path, limit);
  });
}

/**
 * Selects mounted volumes: the kubelet creates no other volume, and so does not wait for the objects that it would
 * show.
 */
function mountedVolumes({ spec }: StoredPod): readonly Volume[] {
  const mounts = containersOf(spec).flatMap(({ volumeMounts = [] }) => volumeMounts);
  const mounted = new Set(mounts.map(({ name }) => name));
  return (spec.volumes ?? []).filter(({ name }) => mounted.has(name));
}

function failedSetUp({ name }: Volume, reason: string): string {
  return `MountVolume.SetUp failed for volume "${name}" : ${reason}`;
}

const fakeLocation: VolumeLocation = { path: "/nowhere", readOnly: true, texts: false };

function sourcesOf({ context, facts, tokenFor }: VolumeOptions) {
  return { store: context.store, facts: facts(), tokenFor };
}

/** Creates a volume; errors of this machine are reported on the pod, because they must not end the cluster. */
function tryMakeVolume(...args: Parameters<typeof makeVolume>): ReturnType<typeof makeVolume> {
  try {
    return makeVolume(...args);
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

function makeVolume(
  options: VolumeOptions,
  volume: Volume,
  shown: Map<string, FileVolume>,
): VolumeLocation | { readonly problem: string } {
  const { context, pod, directory, memoryDirectory } = options;
  const { host, store, claims, isFake } = context;
  const { name, emptyDir, persistentVolumeClaim: claim } = volume;
  const group = host.user.uid === 0 ? pod.spec.securityContext?.fsGroup : undefined;
  const content = volumeFiles(sourcesOf(options), volume);
  if (content !== undefined) {
    if ("problem" in content) return content;
    if (isFake) return fakeLocation;
    const path = `${directory}/${name}`;
    const fileWriter = fileVolume({ files: host.files, path, now: host.clock.now, group });
    fileWriter.write(content.files);
    shown.set(name, fileWriter);
    return { path, readOnly: true, texts: true };
  }
  if (isFake && claim === undefined) return fakeLocation;
  if (volume.hostPath !== undefined) {
    const found = findHostPath(context, volume.hostPath);
    return "problem" in found ? found : { ...found, readOnly: false, texts: false };
  }
  if (claim !== undefined) {
    const location = locateClaim(store, claims, { namespace: pod.metadata.namespace, name: claim.claimName });
    const found = "hostPath" in location ? findHostPath(context, location.hostPath) : location;
    return "problem" in found ? found : { ...found, readOnly: claim.readOnly === true, texts: false };
  }
  const kind = Object.keys(volume).find((field) => field !== "name");
  if (emptyDir === undefined && kind !== undefined) {
    return { problem: `no volume plugin matched name: kubernetes.io/${kind}` };
  }
  const path = `${emptyDir?.medium === "Memory" ? memoryDirectory : directory}/${name}`;
  host.files.makeDirectory(path);
  if (group !== undefined) host.files.changeOwner(path, 0, group);
  host.files.changeMode(path, group === undefined ? 0o777 : 0o2777);
  return { path, readOnly: false, texts: false };
}

function findHostPath(
  { host, hostPathRoots, privateDirectories: directories }: VolumeOptions["context"],
  volume: Parameters<typeof hostPath>[1],
): Pick<VolumeLocation, "path" | "identity" | "isHostPath"> | { readonly problem: string } {
  const found = hostPath(host.files, volume, hostPathRoots);
  if ("problem" in found) return found;
  return directories.contain(found.path) ? { problem: privateProblem(found.path) } : { ...found, isHostPath: true };
}

function privateProblem(path: string): string {
  return `${path} is in a directory with the keys and tokens of clusters, which pods cannot mount`;
}

/** Returns the first variable in a sub-path that the container lacks. */
function missingVariable({ subPathExpr = "" }: VolumeMount, env: Readonly<Record<string, string>>): string | undefined {
  let missing: string | undefined;
  expandVariables(subPathExpr, (name) => {
    const value = ownMember(env, name);
    if (value === undefined) missing ??= name;
    return value;
  });
  return missing;
}

/**
 * Returns the volume, or its sub-path, created as a directory if it does not exist; never a path outside the volume,
 * even if a container of the volume replaces directories by links.
 */
function sourceOf(
  files: Files,
  { path, identity }: VolumeLocation,
  { subPath, subPathExpr }: VolumeMount,
  env: Readonly<Record<string, string>>,
): Pick<VolumeLocation, "path" | "identity"> | { readonly problem: string } | undefined {
  const inside = subPathExpr === undefined ? subPath : expandVariables(subPathExpr, (name) => ownMember(env, name));
  if (inside === undefined || inside === "") return identity === undefined ? { path } : { path, identity };
  // The API checks `subPath`, but knows no variables.
  if (inside.startsWith("/")) return { problem: `error SubPath \`${inside}\` must not be an absolute path` };
  if (inside.split("/").includes(".."))
    return { problem: `unable to provision SubPath \`${inside}\`: must not contain '..'` };
  try {
    const entry = entryBeneath(files, { path, identity }, inside, { kind: "directory", mode: 0o777 });
    return typeof entry === "object" ? entry : undefined;
  } catch {
    // The volume is read-only, or the path has a name that this machine does not support.
    return undefined;
  }
}
