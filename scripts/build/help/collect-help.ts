import { type CommandHelp, parseUsage, subcommandsOf } from "../../../src/cli/completion/command-help.ts";
import { commandNames, main } from "../../../src/cli/main.ts";
import { testHost } from "../../../src/host/test-host.ts";

/** Help of a command of `firesteel`. */
export interface CollectedHelp {
  /** Path of the command, e.g. `cluster start`; empty for the program. */
  readonly path: string;
  readonly text: string;
  readonly help: CommandHelp;
}

/** Collects the help of `firesteel` and of all its commands, each before its subcommands. */
export async function collectHelp(): Promise<readonly CollectedHelp[]> {
  const program = await helpOf([]);
  const commands = await Promise.all(commandNames.map((name) => collect([name])));
  return [program, ...commands.flat()];
}

async function collect(path: readonly string[]): Promise<readonly CollectedHelp[]> {
  const collected = await helpOf(path);
  const subcommands = await Promise.all(subcommandsOf(collected.help).map(({ head }) => collect([...path, head])));
  return [collected, ...subcommands.flat()];
}

async function helpOf(path: readonly string[]): Promise<CollectedHelp> {
  const host = testHost({ argv: [...path, "--help"] });
  await main(host);
  const text = host.outText();
  return { path: path.join(" "), text, help: parseUsage(text) };
}
