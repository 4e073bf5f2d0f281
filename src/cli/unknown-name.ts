import { nearestName } from "../conf/nearest-name.ts";
import { type Issue, issue } from "../errors/issue.ts";
import { type SubmitError, submitError } from "../errors/submit-error.ts";

/** Builds the error for an unknown command, e.g. `cluster strat`, with the similar command. @param known names at the last position */
export function unknownCommand(command: string, known: readonly string[]): SubmitError {
  const [name = "", ...group] = command.split(" ").reverse();
  const nearest = nearestName(name, known);
  const suggestion = nearest === undefined ? undefined : ["firesteel", ...group.reverse(), nearest].join(" ");
  return submitError("SUBMIT_ERR_COMMAND_UNKNOWN", { command, known, nearest: suggestion });
}

/** Builds the error for `cluster --name x status`, with the command in the right place. */
export function commandAfterOption(group: string, args: readonly string[], known: readonly string[]): SubmitError {
  const [option = "", value = "", ...others] = args;
  // The second argument can be the option's value.
  const found = [...others, value].find((arg) => known.includes(arg));
  const nearest = found === undefined ? undefined : `firesteel ${group} ${found} ${option} …`;
  return submitError("SUBMIT_ERR_COMMAND_UNKNOWN", { command: `${group} ${option}`, known, nearest });
}

/** An option with one of several values. */
interface Choice {
  readonly option: string;
  readonly value: string;
  readonly choices: readonly string[];
  /** Text for what is allowed. @default the choices */
  readonly allowed?: string;
}

/** Builds the issue for an unknown value of an option, with the similar choice. */
export function unknownChoice({ option, value, choices, allowed = choices.join(", ") }: Choice): Issue {
  return issue("SUBMIT_ERR_ARG_VALUE", { option, value, allowed, nearest: nearestName(value, choices) });
}
