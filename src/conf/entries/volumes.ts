import { entry, type PrefixEntry, roleEntry } from "../entry.ts";
import { boolean } from "../kinds.ts";

/** Members: `<type>.<name>.mount.path` and the like; read with `parseVolumeSpecs`. */
export const volumes = roleEntry<PrefixEntry>((role) => ({
  prefix: `spark.kubernetes.${role}.volumes.`,
  doc: `Volumes of the ${role}: \`<type>.<name>.mount.path\`, \`.mount.readOnly\`, \`.mount.subPath\`, \`.options.<option>\`.`,
  since: "2.4.0",
}));

export const useReadWriteOnceAccessMode = entry(boolean, {
  key: "spark.kubernetes.legacy.useReadWriteOnceAccessMode",
  doc: "Claims created on demand have the access mode ReadWriteOnce instead of ReadWriteOncePod.",
  since: "3.4.3",
  default: "false",
});

export const localDirsTmpfs = entry(boolean, {
  key: "spark.kubernetes.local.dirs.tmpfs",
  doc: "Default local directories are in memory.",
  since: "3.0.0",
  default: "false",
});
