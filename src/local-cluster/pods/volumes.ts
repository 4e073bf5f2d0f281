import { messageOf } from "../../errors/message-of.ts";
import type { Host } from "../../host/host.ts";
import { removeTree } from "../../host/remove-tree.ts";
import type { Container, Volume, VolumeMount } from "../../kube/types.ts";
import type { Store } from "../api/store.ts";
import { cleanPath, isWithin } from "../sandbox/container-path.ts";
import type { Mount } from "../sandbox/sandbox.ts";
import { locateClaim } from "./claims.ts";
import { expandVariables } from "./expand-variables.ts";
import { type FileVolume, fileVolume } from "./file-volume.ts";
import { hostPath } from "./host-path.ts";
import type { PodFacts } from "./pod-fields.ts";
import { type LimitedDirectory, limitedVolume } from "./storage-watch.ts";
import type { StoredPod } from "./stored-pod.ts";
import { type TokenProjection, volumeFiles } from "./volume-files.ts";

/** What a pod's volumes need of their node. */
export interface VolumeOptions {
  readonly host: Host;
  readonly store: Store;
  readonly pod: StoredPod;
  /** Folder for this pod's volumes. */
  readonly directory: string;
  /** Folder in memory for this pod's volumes of medium Memory. */
  readonly memoryDirectory: string;
  /** Folder of all claims' volumes. */
  readonly claims: string;
  readonly hostPathRoots: readonly string[];
  /** What is missing is told, but nothing is made. */
  readonly isPlayed: boolean;
  /** Read anew for each change: an address comes after the volumes. */
  readonly facts: () => PodFacts;
  readonly tokenFor: (projection: TokenProjection) => string | undefined;
}

/** The volumes of one pod, as folders and files of this machine. */
export interface PodVolumes {
  /** Makes what can be made, and tells what is missing, in the kubelet's words: `MountVolume.SetUp failed for …`. */
  readonly setUp: () => readonly string[];
  /** Shows what the objects behind the volumes say by now; what is missing by now stays as it was. Tells what cannot be written. */
  readonly refresh: () => readonly string[];
  /** Where a container sees them; `problem` when a path in a volume cannot be had. */
  readonly mountsOf: (
    container: Container,
    env: Readonly<Record<string, string>>,
  ) => { readonly mounts: readonly Mount[] } | { readonly problem: string };
  /** Those that are there and may hold only so much. */
  readonly limited: () => readonly LimitedDirectory[];
  readonly remove: () => void;
}

/** A volume that is there. */
interface VolumeLocation {
  readonly path: string;
  readonly readOnly: boolean;
  /** Of small files that the API's objects hold. */
  readonly texts: boolean;
}

/** The volumes of one pod. Nothing is made before `setUp`. */
export function podVolumes(options: VolumeOptions): PodVolumes {
  const { host, pod, directory, memoryDirectory } = options;
  const locations = new Map<string, VolumeLocation>();
  const shown = new Map<string, FileVolume>();
  const volumes = mountedVolumes(pod);
  return {
    setUp() {
      const problems: string[] = [];
      for (const volume of volumes) {
        if (locations.has(volume.name)) continue;
        const made = tryMakeVolume(options, volume, shown);
        if ("problem" in made) {
          problems.push(failedSetUp(volume, made.problem));
        } else {
          locations.set(volume.name, made);
        }
      }
      return problems;
    },
    refresh() {
      return volumes.flatMap((volume) => {
        const fileWriter = shown.get(volume.name);
        const content = fileWriter && volumeFiles(sourcesOf(options), volume);
        if (content === undefined || "problem" in content) return [];
        try {
          fileWriter?.write(content.files);
          return [];
        } catch (error) {
          return [failedSetUp(volume, messageOf(error))];
        }
      });
    },
    mountsOf({ name: container, volumeMounts = [] }, env) {
      if (options.isPlayed) return { mounts: [] };
      const mounts: Mount[] = [];
      // As container runtimes do: a mount comes before those inside it.
      const depth = ({ mountPath }: VolumeMount) => cleanPath(mountPath).split("/").length;
      for (const mount of [...volumeMounts].sort((a, b) => depth(a) - depth(b))) {
        const location = locations.get(mount.name);
        if (location === undefined) return { problem: `volume "${mount.name}" is not there` };
        const missing = missingVariable(mount, env);
        if (missing !== undefined) return { problem: `missing value for ${missing}` };
        const source = sourceOf(host, location, mount, env);
        if (source === undefined) {
          return {
            problem: `failed to prepare subPath for volumeMount "${mount.name}" of container "${container}"`,
          };
        }
        const readOnly = location.readOnly || mount.readOnly === true;
        const target = cleanPath(mount.mountPath);
        mounts.push({ kind: "bind", source, target, readOnly, ...(location.texts ? { texts: true } : {}) });
      }
      return { mounts };
    },
    limited() {
      if (options.isPlayed) return [];
      return volumes.flatMap(({ name, emptyDir }) => {
        const location = locations.get(name);
        const limit = emptyDir?.sizeLimit;
        return location === undefined || limit === undefined ? [] : limitedVolume(name, location.path, limit);
      });
    },
    remove() {
      removeTree(host.files, directory);
      removeTree(host.files, memoryDirectory);
      locations.clear();
      shown.clear();
    },
  };
}

/** The kubelet makes no volume that no container mounts, and so does not wait for what that would show. */
function mountedVolumes({ spec }: StoredPod): readonly Volume[] {
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  const mounted = new Set(
    containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name)),
  );
  return (spec.volumes ?? []).filter(({ name }) => mounted.has(name));
}

function failedSetUp({ name }: Volume, reason: string): string {
  return `MountVolume.SetUp failed for volume "${name}" : ${reason}`;
}

const fakeLocation: VolumeLocation = { path: "/nowhere", readOnly: true, texts: false };

function sourcesOf({ store, facts, tokenFor }: VolumeOptions) {
  return { store, facts: facts(), tokenFor };
}

/** What a pod asks for may be impossible in ways that only this machine knows: that is the pod's problem, not ours. */
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
  const { host, store, pod, directory, memoryDirectory, claims, hostPathRoots, isPlayed } = options;
  const { name, emptyDir, persistentVolumeClaim: claim } = volume;
  const group = host.user.uid === 0 ? pod.spec.securityContext?.fsGroup : undefined;
  const content = volumeFiles(sourcesOf(options), volume);
  if (content !== undefined) {
    if ("problem" in content) return content;
    if (isPlayed) return fakeLocation;
    const path = `${directory}/${name}`;
    const fileWriter = fileVolume({ files: host.files, path, now: host.clock.now, group });
    fileWriter.write(content.files);
    shown.set(name, fileWriter);
    return { path, readOnly: true, texts: true };
  }
  if (isPlayed && claim === undefined) return fakeLocation;
  if (volume.hostPath !== undefined) {
    const found = hostPath(host.files, volume.hostPath, hostPathRoots);
    return "problem" in found ? found : { path: found.path, readOnly: false, texts: false };
  }
  if (claim !== undefined) {
    const location = locateClaim(store, claims, { namespace: pod.metadata.namespace, name: claim.claimName });
    const found = "hostPath" in location ? hostPath(host.files, location.hostPath, hostPathRoots) : location;
    return "problem" in found ? found : { path: found.path, readOnly: claim.readOnly === true, texts: false };
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

/** A variable that a sub-path names and the container has not. */
function missingVariable(
  { subPathExpr = "" }: VolumeMount,
  env: Readonly<Record<string, string>>,
): string | undefined {
  let missing: string | undefined;
  expandVariables(subPathExpr, (name) => {
    if (env[name] === undefined) missing ??= name;
    return env[name];
  });
  return missing;
}

/** The place, or what a sub-path names in it: made as a folder if it is not there, never outside of it. */
function sourceOf(
  { files }: Host,
  { path }: VolumeLocation,
  { subPath, subPathExpr }: VolumeMount,
  env: Readonly<Record<string, string>>,
): string | undefined {
  const inside = subPathExpr === undefined ? subPath : expandVariables(subPathExpr, (name) => env[name]);
  if (inside === undefined || inside === "") return path;
  const subPathTarget = `${path}${cleanPath(inside)}`;
  try {
    if (files.info(subPathTarget) === undefined) {
      files.makeDirectory(subPathTarget);
      files.changeMode(subPathTarget, 0o777);
    }
    const real = files.realPath(subPathTarget);
    const root = files.realPath(path);
    return real !== undefined && root !== undefined && isWithin(real, root) ? real : undefined;
  } catch {
    // Below a file, or with a name that this machine cannot hold.
    return undefined;
  }
}
