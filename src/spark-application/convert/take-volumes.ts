import { fieldKeys } from "../../conf/entries/spark-application.ts";
import type { Role } from "../../conf/entry.ts";
import type { Volume, VolumeMount } from "../../kube/types.ts";
import type { SettingsTaker } from "./settings-taker.ts";

/** Volumes of an application and their mounts. */
interface TakenVolumes {
  readonly volumes: readonly Volume[];
  readonly mounts: Readonly<Record<Role, readonly VolumeMount[]>>;
}

interface ParsedVolume {
  readonly role: Role;
  readonly keys: readonly string[];
  readonly volume: Volume;
  readonly mount: VolumeMount;
}

/**
 * Turns settings of volumes into fields. Settings remain whose volume fields cannot express: claims that Spark makes, kinds that only Spark
 * has, and a name that has another source for the other role.
 */
export function takeVolumes(taker: SettingsTaker): TakenVolumes {
  const parsed = (["driver", "executor"] as const).flatMap((role) => parseVolumes(taker, role));
  const text = ({ volume }: ParsedVolume) => JSON.stringify(volume);
  const isClear = (one: ParsedVolume) =>
    parsed.every((other) => other.volume.name !== one.volume.name || text(other) === text(one));
  const taken = parsed.filter(isClear);
  for (const { keys } of taken) for (const key of keys) taker.take(key);
  const mountsOf = (role: Role) => taken.filter((each) => each.role === role).map(({ mount }) => mount);
  return {
    volumes: [...new Map(taken.map(({ volume }) => [volume.name, volume])).values()],
    mounts: { driver: mountsOf("driver"), executor: mountsOf("executor") },
  };
}

function parseVolumes(taker: SettingsTaker, role: Role): readonly ParsedVolume[] {
  const prefix = fieldKeys[role].volume;
  const groups = new Map<string, Map<string, string>>();
  for (const [key, value] of Object.entries(taker.rest())) {
    const [, id, option] = key.startsWith(prefix)
      ? (/^([^.]+\.[^.]+)\.(.+)$/.exec(key.slice(prefix.length)) ?? [])
      : [];
    if (id === undefined || option === undefined) continue;
    groups.set(id, (groups.get(id) ?? new Map<string, string>()).set(option, value));
  }
  return [...groups].flatMap(([id, options]) => {
    const [type = "", name = ""] = id.split(".");
    const volume = volumeOf(type, name, options);
    const mountPath = options.get("mount.path");
    if (volume === undefined || mountPath === undefined) return [];
    const subPath = options.get("mount.subPath");
    const isReadOnly = options.get("mount.readOnly") === "true";
    const mount = { name, mountPath, ...(subPath && { subPath }), ...(isReadOnly && { readOnly: true }) };
    return [{ role, volume, mount, keys: [...options.keys()].map((option) => `${prefix}${id}.${option}`) }];
  });
}

const mountOptions = ["mount.path", "mount.subPath", "mount.readOnly"];

const optionsOfType: Readonly<Record<string, readonly string[]>> = {
  emptyDir: ["sizeLimit", "medium"],
  hostPath: ["path", "type"],
  nfs: ["server", "path", "readOnly"],
  persistentVolumeClaim: ["claimName", "readOnly"],
};

/** Names of claims that Spark replaces. */
const madeClaims = ["OnDemand", "SPARK_EXECUTOR_ID"];

function volumeOf(type: string, name: string, options: ReadonlyMap<string, string>): Volume | undefined {
  const known = Object.hasOwn(optionsOfType, type) ? optionsOfType[type] : undefined;
  const allowed = [...mountOptions, ...(known ?? []).map((option) => `options.${option}`)];
  if (known === undefined || ![...options.keys()].every((option) => allowed.includes(option))) return undefined;
  const option = (key: string) => options.get(`options.${key}`);
  const readOnly = option("readOnly") === "true" ? { readOnly: true } : {};
  const [sizeLimit, medium, path = "", pathType] = [
    option("sizeLimit"),
    option("medium"),
    option("path"),
    option("type"),
  ];
  const claimName = option("claimName") ?? "";
  switch (type) {
    case "emptyDir":
      return { name, emptyDir: { ...(sizeLimit && { sizeLimit }), ...(medium && { medium }) } };
    case "hostPath":
      return { name, hostPath: { path, ...(pathType && { type: pathType }) } };
    case "nfs":
      return { name, nfs: { server: option("server") ?? "", path, ...readOnly } };
    default:
      if (madeClaims.some((made) => claimName.includes(made))) return undefined;
      return { name, persistentVolumeClaim: { claimName, ...readOnly } };
  }
}
