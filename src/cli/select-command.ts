import type { Host } from "../host/host.ts";
import { isHelpRequest } from "./is-help-request.ts";
import { commandAfterOption, unknownCommand } from "./unknown-name.ts";

/** A command of `firesteel` with subcommands. */
interface CommandGroup<C extends string> {
  readonly group: string;
  readonly usage: string;
  /** Usage texts of the subcommands. */
  readonly usages: Readonly<Record<C, string>>;
  /** Other groups in this one, for suggestions: the caller selects them first. @default none */
  readonly groups?: readonly string[];
}

/** The subcommand with its arguments, or the exit code if the usage text was all that was requested. */
type Selected<C extends string> =
  | { readonly command: C; readonly rest: readonly string[] }
  | { readonly command: undefined; readonly exitCode: number };

/**
 * Selects the subcommand, or prints its usage text or that of the group: on request to stdout, without a subcommand to stderr.
 *
 * @throws SUBMIT_ERR_COMMAND_UNKNOWN
 */
export function selectCommand<C extends string>(
  { stdout, stderr }: Pick<Host, "stdout" | "stderr">,
  [name, ...rest]: readonly string[],
  { group, usage, usages, groups = [] }: CommandGroup<C>,
): Selected<C> {
  const command = name !== undefined && isNameOf(usages, name) ? name : undefined;
  const isHelp = isHelpRequest([name ?? "", ...rest]);
  const commands = [...Object.keys(usages), ...groups];
  if (name?.startsWith("-") === true && !isHelp) throw commandAfterOption(group, [name, ...rest], commands);
  if (name !== undefined && command === undefined && !name.startsWith("-"))
    throw unknownCommand(`${group} ${name}`, commands);
  if (command !== undefined && !isHelp) return { command, rest };
  (isHelp ? stdout : stderr).write(command === undefined ? usage : usages[command]);
  return { command: undefined, exitCode: isHelp ? 0 : 1 };
}

function isNameOf<C extends string>(usages: Readonly<Record<C, string>>, name: string): name is C {
  return Object.hasOwn(usages, name);
}
