import type { Host } from "../../host/host.ts";
import { isWithin } from "../sandbox/container-path.ts";
import type { Mount } from "../sandbox/sandbox.ts";

/** The Python of this machine, as a container gets it. */
export interface Python {
  /** What the shared program folders do not show already. */
  readonly mounts: readonly Mount[];
  /** Folder with `python3`, to be put on the search path; `undefined` when it is there anyway. */
  readonly programs: string | undefined;
}

/**
 * Asks `python3` where it really is: a name on the search path may be a shim of a version manager, in a home that no
 * container may see.
 */
export async function findPython(host: Host): Promise<Python> {
  const child = host.spawn(
    "python3",
    ["-c", "import sys; print(sys.executable); print(sys.prefix); print(sys.base_prefix)"],
    { stderr: "ignore" },
  );
  let output = "";
  child.onOutput(1, (chunk) => {
    output += Buffer.from(chunk).toString("utf8");
  });
  const { code } = await child.exited;
  const [executable = "", prefix = "", base = ""] = output.trim().split("\n");
  if (code !== 0 || !executable.startsWith("/") || isWithin(executable, "/usr")) {
    return { mounts: [], programs: undefined };
  }
  const roots = [...new Set([base, prefix])].filter(
    (root) => root.startsWith("/") && !isWithin(root, "/usr"),
  );
  return {
    mounts: roots.map((root) => ({ kind: "bind", source: root, target: root, readOnly: true })),
    programs: executable.slice(0, executable.lastIndexOf("/")),
  };
}
