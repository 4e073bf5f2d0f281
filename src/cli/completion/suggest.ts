import type { Host } from "../../host/host.ts";
import { exitCodes } from "../../plan/exit-codes.ts";
import { packageDirectory } from "../package-directory.ts";
import { complete } from "./complete.ts";
import type { CompletionData } from "./completion-data.ts";
import { parseShellArguments } from "./parse-shell-arguments.ts";
import { printCompletion, type Shell, shells } from "./print-completion.ts";

/**
 * Prints suggestions for a command line. Prints nothing on errors: a shell would show them in the middle of the command line.
 *
 * @returns the exit code
 */
export async function suggest(host: Host, [name = "", ...line]: readonly string[]): Promise<number> {
  const shell = shells.find((known) => known === name);
  try {
    if (shell !== undefined) host.stdout.write(await suggestions(host, shell, line));
  } catch {
    // Nothing can be suggested.
  }
  return exitCodes.ok;
}

async function suggestions(host: Host, shell: Shell, line: readonly string[]): Promise<string> {
  const [program = "", ...args] = shell === "bash" ? parseShellArguments(line[0] ?? "") : line;
  const completion = complete(readData(host), { program: program.replace(/^.*\//, ""), args });
  const current = args.at(-1) ?? "";
  if (completion.kind === "list") return printCompletion(shell, { ...completion, current });
  if (completion.kind === "master") {
    const { runningMasters } = await import("./running-masters.ts");
    const running = runningMasters(host)
      .map((master) => ({ text: `${completion.prefix}${master}`, description: "running" }))
      .filter(({ text }) => text.startsWith(current));
    return printCompletion(shell, { suggestions: [...completion.suggestions, ...running], current, isComplete: true });
  }
  if (completion.kind !== "driver") return `${completion.kind}\n`;
  const { findDrivers } = await import("./find-drivers.ts");
  const drivers = await findDrivers(host, { clusterOptions: completion.clusterOptions, current });
  return printCompletion(shell, { suggestions: drivers, current, isComplete: true });
}

function readData(host: Host): CompletionData {
  return JSON.parse(host.files.readText(`${packageDirectory(host)}/dist/bin/parts/completion.json`) ?? "");
}
