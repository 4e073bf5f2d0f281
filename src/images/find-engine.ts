import { submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { lastLine, runCommand } from "../host/run-command.ts";
import { visibleLine } from "../host/visible-text.ts";
import { type EngineName, engineNames } from "./engine-commands.ts";

/**
 * Finds the engine that builds images: the requested one, else the first that works.
 *
 * @throws SUBMIT_ERR_IMAGE_ENGINE_MISSING with the reason of each
 */
export async function findEngine(host: Host, requested: EngineName | undefined): Promise<EngineName> {
  const problems: string[] = [];
  for (const engine of requested === undefined ? engineNames : [requested]) {
    const problem = await problemOf(host, engine);
    if (problem === undefined) return engine;
    problems.push(`${engine}: ${problem}`);
  }
  throw submitError("SUBMIT_ERR_IMAGE_ENGINE_MISSING", { problems });
}

/** Returns why an engine does not work. */
async function problemOf(host: Host, engine: EngineName): Promise<string | undefined> {
  // Docker's client works without its server; `version` with a format asks the server.
  const args = engine === "docker" ? ["version", "--format", "{{.Server.Version}}"] : ["--version"];
  const { code, stderr } = await runCommand(host, [engine, ...args]);
  if (code === 0) return undefined;
  return code === 127 ? "not installed" : visibleLine(lastLine(stderr)).replace(/\.$/, "");
}
