import type { Host } from "../host/host.ts";
import { runCommand } from "../host/run-command.ts";

/** Program that installs Python packages. */
export interface Installer {
  readonly name: "uv" | "pip";
}

/** Returns uv, else the pip of the local `python3`; `undefined` if this machine has neither. */
export async function findInstaller(host: Host): Promise<Installer | undefined> {
  if ((await runCommand(host, ["uv", "--version"])).code === 0) return { name: "uv" };
  return (await runCommand(host, ["python3", "-m", "pip", "--version"])).code === 0 ? { name: "pip" } : undefined;
}
