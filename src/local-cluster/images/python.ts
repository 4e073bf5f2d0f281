import type { Host } from "../../host/host.ts";
import { runCommand } from "../../host/run-command.ts";
import { isWithin } from "../../values/is-within.ts";
import type { Mount } from "../sandbox/sandbox.ts";

/** This machine's Python as a container gets it. */
export interface Python {
  /** Mounts that the shared program directories do not cover. */
  readonly mounts: readonly Mount[];
  /** Directory with `python3` to put on the search path; `undefined` when the search path already has it. */
  readonly programs: string | undefined;
}

/**
 * Runs `python3` to find its real location: a name on the search path may be a version manager's shim, in a home
 * directory that containers must not see.
 */
export async function findPython(host: Host): Promise<Python> {
  const print = "import sys; print(sys.executable); print(sys.prefix); print(sys.base_prefix)";
  const { code, stdout } = await runCommand(host, ["python3", "-c", print]);
  const [executable = "", prefix = "", base = ""] = stdout.trim().split("\n");
  if (code !== 0 || !executable.startsWith("/") || isWithin(executable, "/usr")) {
    return { mounts: [], programs: undefined };
  }
  const roots = [...new Set([base, prefix])].filter((root) => root.startsWith("/") && !isWithin(root, "/usr"));
  return {
    mounts: roots.map((root) => ({ kind: "bind", source: root, target: root, readOnly: true })),
    programs: executable.slice(0, executable.lastIndexOf("/")),
  };
}
