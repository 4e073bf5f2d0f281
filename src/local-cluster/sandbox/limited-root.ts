import type { Files } from "../../host/host.ts";
import { defaultCapabilities } from "./capabilities.ts";
import { limitCapabilities } from "./identity.ts";
import type { ContainerProcess } from "./sandbox.ts";

/** Returns whether a container's user 0 lacks a default capability, which a user namespace would give it. */
export function dropsCapabilities({ uid, capabilities }: Pick<ContainerProcess, "uid" | "capabilities">): boolean {
  return uid === 0 && defaultCapabilities.some((name) => !capabilities.includes(name));
}

interface RootEntry extends Pick<ContainerProcess, "capabilities"> {
  /** Root to enter, whose programs are not used. */
  readonly root: string;
  /** Working directory in it. */
  readonly workingDirectory: string;
}

/**
 * Returns the command prefix that enters another root, then removes all capabilities but the container's.
 *
 * In this order, because entering a root requires a capability that the container may lack, and user 0 gets all capabilities of its
 * bounding set from each program that it runs. The new root may lack `setpriv`, or have a C library that this machine's does not
 * work with. So the working directory stays in the old root until the end, and the programs there run by the loader there.
 */
export function enterLimited(files: Files, { root, workingDirectory, capabilities }: RootEntry): readonly string[] {
  const [setpriv = "", ...limits] = limitCapabilities({ capabilities });
  return [
    ...["/usr/bin/nsenter", `--root=${root}`, "--wd=/", "--"],
    ...[...runFromOldRoot(files, setpriv), ...limits],
    ...[...runFromOldRoot(files, "/usr/bin/env"), `--chdir=${workingDirectory}`, "--"],
  ];
}

/** Returns the command line of a program by paths relative to the root directory. */
function runFromOldRoot(files: Files, program: string): readonly string[] {
  const path = files.realPath(program) ?? program;
  const start = Buffer.from(files.readRange(path, 0, 4096) ?? []).toString("latin1");
  const named = /\0(\/[\w./-]*ld-?[\w.-]*)\0/.exec(start)?.[1];
  const loader = named === undefined ? undefined : files.realPath(named);
  if (loader === undefined) return [`.${path}`];
  const libraries = loader.slice(0, loader.lastIndexOf("/"));
  const others = libraries.startsWith("/usr") ? [] : [`./usr${libraries}`];
  return [`.${loader}`, "--library-path", [`.${libraries}`, ...others].join(":"), `.${path}`];
}
