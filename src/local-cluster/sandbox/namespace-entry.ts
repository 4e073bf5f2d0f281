import type { Host } from "../../host/host.ts";
import { findProgram } from "./find-program.ts";
import type { Confinement } from "./resource-control.ts";
import { runCommand } from "./run-command.ts";
import type { CommandStart, ContainerProcess, ExecRequest } from "./sandbox.ts";
import type { Watchdog } from "./watchdog.ts";

/** How a further command gets into the namespaces of a container. */
export interface NamespaceEntry {
  /** Within the container's bounds. */
  readonly enter: Confinement["enter"];
  /** Whether the namespaces belong to a user namespace, which is entered first. */
  readonly joinsUser: boolean;
  /** Further words of `nsenter`, the last of them before the command. */
  readonly inside: readonly string[];
}

/** Runs further commands in the namespaces of a container, by util-linux's `nsenter`. */
export function namespaceExec(
  machine: { readonly host: Host; readonly watchdog: Watchdog },
  container: ContainerProcess,
  { enter, joinsUser, inside }: NamespaceEntry,
): (target: number, request: ExecRequest) => Promise<CommandStart> {
  return async (target, request) => {
    const nsenter = findProgram(machine.host, "nsenter");
    if (nsenter === undefined) return { started: false, startError: "nsenter is not installed" };
    const namespaces = ["--target", String(target), "--mount", "--pid", "--ipc", "--uts"];
    const user = joinsUser ? ["--user", "--preserve-credentials"] : [];
    const toArgv = (command: readonly string[]) =>
      enter(nsenter, [...namespaces, ...user, ...inside, ...command]);
    return runCommand(machine, { container, toArgv, env: container.env }, request);
  };
}

/** For a container with this machine's programs: a shell finds the working directory, as the user that `prefix` makes. */
export function withShell({ workingDirectory }: ContainerProcess, prefix: readonly string[]): string[] {
  return ["--", ...prefix, "/bin/sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", workingDirectory];
}
