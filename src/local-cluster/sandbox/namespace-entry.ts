import type { Host } from "../../host/host.ts";
import { findProgram } from "./find-program.ts";
import type { Confinement } from "./resource-control.ts";
import { runCommand } from "./run-command.ts";
import type { CommandStart, ContainerProcess, ExecRequest } from "./sandbox.ts";
import type { Watchdog } from "./watchdog.ts";

/** Parameters for running an additional command in the namespaces of a container. */
export interface NamespaceEntry {
  /** Runs a command within the container's bounds. */
  readonly enter: Confinement["enter"];
  /** Whether the namespaces belong to a user namespace, which must be entered first. */
  readonly joinsUser: boolean;
  /** Additional arguments of `nsenter`, up to the command. */
  readonly inside: readonly string[];
}

/** Runs additional commands in the namespaces of a container by util-linux's `nsenter`. */
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
    const toArgv = (command: readonly string[]) => enter(nsenter, [...namespaces, ...user, ...inside, ...command]);
    return runCommand(machine, { container, toArgv, env: container.env }, request);
  };
}

/**
 * Builds a prefix for a container with this machine's programs: a shell enters the working directory as the user that
 * `prefix` switches to.
 */
export function withShell({ workingDirectory }: ContainerProcess, prefix: readonly string[]): string[] {
  return ["--", ...prefix, "/bin/sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", workingDirectory];
}
