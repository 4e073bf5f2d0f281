import { volumes } from "../../../conf/entries/volumes.ts";
import { messageOf } from "../../../errors/message-of.ts";
import type { FileInfo } from "../../../host/host.ts";
import { quoteForShell } from "../../../host/quote-for-shell.ts";
import { mountVolumePrefix } from "../../../plan/mounts.ts";
import type { ResolvedSubmission } from "../../../resolve/resolve-submission.ts";

/** Submission with the volumes of its mounts. */
export interface MountingSubmission extends Pick<ResolvedSubmission, "host" | "log"> {
  readonly read: Pick<ResolvedSubmission["read"], "settings">;
}

/** User of Spark's images. Its group is 0. */
const imageUid = 185;

/** Permissions of the group of a directory. */
const groupAccess = 0o070;

/**
 * Gives pods access to the directories that they mount to write into, if root started the cluster: the user of Spark's images has
 * another ID. The pods of other users run as these users. Warns of directories of another group, which it does not change.
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
    if (isReadOnly || info?.kind !== "directory" || isWritable(info)) continue;
    const reason = info.gid === 0 ? failureOf(() => host.files.changeMode(path, info.mode | groupAccess)) : undefined;
    if (info.gid === 0 && reason === undefined) {
      log("INFO", "Mounts", `The group of ${path} can write into it now: pods run as user 185 with group 0`);
      continue;
    }
    const quoted = quoteForShell(path);
    const command = `${info.gid === 0 ? "" : `chgrp 0 ${quoted} && `}chmod g+rwx ${quoted}`;
    const cause = reason ?? `its group is ${info.gid}`;
    log(
      "WARN",
      "Mounts",
      `Pods run as user 185 with group 0, which cannot write into ${path}: ${cause}. Run: ${command}`,
    );
  }
}

/** Returns whether the user of Spark's images can list, enter and change a directory. */
function isWritable({ uid, gid, mode }: FileInfo): boolean {
  const shift = uid === imageUid ? 6 : gid === 0 ? 3 : 0;
  return ((mode >> shift) & 0o7) === 0o7;
}

/** A read-only file system does not end the submission. */
function failureOf(action: () => void): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
