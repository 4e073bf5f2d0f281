import type { Files } from "../../host/host.ts";
import { mountedPath } from "./mounted-path.ts";
import type { ContainerProcess } from "./sandbox.ts";

/**
 * Explains why a container's command cannot be run, with the message of a container runtime (runc); returns
 * `undefined` if it can.
 *
 * Shape: `exec: "nosuch": executable file not found in $PATH`. Checks files of this machine, resolved through the
 * mounts.
 */
export function executableError(
  files: Files,
  container: Pick<ContainerProcess, "command" | "env" | "mounts" | "workingDirectory">,
): string | undefined {
  const { command, env, mounts, workingDirectory } = container;
  const [name] = command;
  const stateOf = (path: string) => {
    const onHost = mountedPath(files, mounts, path);
    const info = onHost === undefined ? undefined : files.info(onHost);
    if (info === undefined) return "missing";
    return info.kind === "file" && (info.mode & 0o111) !== 0 ? "executable" : "other";
  };
  if (name.includes("/")) {
    const state = stateOf(name.startsWith("/") ? name : `${workingDirectory}/${name}`);
    if (state === "executable") return undefined;
    const reason = state === "missing" ? `stat ${name}: no such file or directory` : "permission denied";
    return `exec: "${name}": ${reason}`;
  }
  const directories = (env["PATH"] ?? "").split(":").filter((directory) => directory.startsWith("/"));
  const found = directories.some((directory) => stateOf(`${directory}/${name}`) === "executable");
  return found ? undefined : `exec: "${name}": executable file not found in $PATH`;
}
