import type { Host } from "../host/host.ts";
import { runCommand } from "../host/run-command.ts";

/** Python of an image, for which an environment is built. */
export interface PythonTarget {
  /** Release, e.g. `3.11`. */
  readonly version: string;
  readonly processor: Architecture;
  /** Whether the image has this machine's Python, so that packages without wheels can be compiled. */
  readonly isLocal: boolean;
}

/** Architecture as in the names of wheels. */
export type Architecture = "x86_64" | "aarch64";

/** Returns the release of the local `python3`; `undefined` if there is none. */
export async function localPythonVersion(host: Host): Promise<string | undefined> {
  const print = "import sys; print('%d.%d' % sys.version_info[:2])";
  const { code, stdout } = await runCommand(host, ["python3", "-c", print]);
  const version = stdout.trim();
  return code === 0 && /^3\.\d+$/.test(version) ? version : undefined;
}

/** Returns the processor for Node's or Kubernetes' name of an architecture. */
export function processorOf(architecture: string): Architecture {
  return architecture === "arm64" ? "aarch64" : "x86_64";
}
