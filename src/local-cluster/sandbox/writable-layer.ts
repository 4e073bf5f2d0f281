import type { Files } from "../../host/host.ts";
import type { ContainerProcess, Mount } from "./sandbox.ts";

/**
 * The mounts of a container, its temporary folders that everybody may write to kept on disk: what a program downloads
 * there may be more than memory holds. They go with the folder of the run.
 */
export function withWritableLayer(
  files: Files,
  { mounts, directory }: Pick<ContainerProcess, "mounts" | "directory">,
): readonly Mount[] {
  return mounts.map((mount): Mount => {
    if (mount.kind !== "temporary" || (mount.mode & 0o002) === 0) return mount;
    const source = `${directory}/layer${mount.target}`;
    files.makeDirectory(source);
    files.changeMode(source, mount.mode);
    return { kind: "bind", source, target: mount.target, readOnly: false };
  });
}
