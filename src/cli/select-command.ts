import type { Host } from "../host/host.ts";
import { isHelpRequest } from "./is-help-request.ts";
import { commandAfterOption, unknownCommand } from "./unknown-name.ts";

/** A command of `firesteel` with subcommands. */
interface CommandGroup<C extends string> {
  readonly group: string;
  readonly usage: string;
  readonly commands: readonly C[];
}

/** The subcommand with its arguments, or the exit code if the usage text was all that was requested. */
type Selected<C extends string> =
  | { readonly command: C; readonly rest: readonly string[] }
  | { readonly command: undefined; readonly exitCode: number };

/**
 * Selects the subcommand, or prints the usage text: on request to stdout, without a subcommand to stderr.
 *
 * @throws SUBMIT_ERR_COMMAND_UNKNOWN
 */
export function selectCommand<C extends string>(
  { stdout, stderr }: Pick<Host, "stdout" | "stderr">,
  [name, ...rest]: readonly string[],
  { group, usage, commands }: CommandGroup<C>,
): Selected<C> {
  const command = commands.find((known) => known === name);
  const isHelp = isHelpRequest([name ?? "", ...rest]);
  if (name?.startsWith("-") === true && !isHelp) throw commandAfterOption(group, [name, ...rest], commands);
  if (name !== undefined && command === undefined && !name.startsWith("-"))
    throw unknownCommand(`${group} ${name}`, commands);
  if (command !== undefined && !isHelp) return { command, rest };
  (isHelp ? stdout : stderr).write(usage);
  return { command: undefined, exitCode: isHelp ? 0 : 1 };
}
