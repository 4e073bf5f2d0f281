import { volumes } from "../../../conf/entries/volumes.ts";
import { mountVolumePrefix } from "../../../plan/mounts.ts";
import type { ResolvedSubmission } from "../../../resolve/resolve-submission.ts";

/** Submission with the volumes of its mounts. */
export interface MountingSubmission extends Pick<ResolvedSubmission, "host" | "log"> {
  readonly read: Pick<ResolvedSubmission["read"], "settings">;
}

/** Permissions of the group 0, to which the user of Spark's images belongs. */
const groupAccess = 0o070;

/**
 * Gives pods access to the directories that they mount to write into, if root started the cluster: the user of Spark's images has
 * another ID. The pods of other users run as these users.
 */
export function openMounts({ host, log, read }: MountingSubmission): void {
  if (host.user.uid !== 0) return;
  const prefix = `${volumes.driver.prefix}hostPath.${mountVolumePrefix}`;
  const optionOf = (volume: string, option: string) => read.settings.get(`${volume}.${option}`)?.value;
  const named = [...read.settings.keys()].filter((key) => key.startsWith(prefix) && key.endsWith(".mount.path"));
  for (const volume of named.map((key) => key.replace(/\.mount\.path$/, ""))) {
    const path = optionOf(volume, "options.path") ?? "";
    const info = host.files.info(path);
    const isReadOnly = optionOf(volume, "mount.readOnly") === "true";
    if (isReadOnly || info?.kind !== "directory" || (info.mode & groupAccess) === groupAccess) continue;
    host.files.changeMode(path, info.mode | groupAccess);
    log("INFO", "Mounts", `The group of ${path} can write into it now: pods run as user 185 with group 0`);
  }
}
