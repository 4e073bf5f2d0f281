import type { Files } from "../../host/host.ts";
import type { ContainerProcess, Mount } from "./sandbox.ts";

/**
 * Replaces world-writable temporary directories by directories on disk: files that a program downloads there may
 * exceed memory. They are removed with the run's directory.
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
