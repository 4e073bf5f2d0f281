import type { Host } from "../../host/host.ts";
import { exitCodes } from "../exit-codes.ts";
import { parseOptions } from "../parse-options.ts";
import { selectCommand } from "../select-command.ts";
import { scripts } from "./scripts.ts";

const completionUsage = `Usage: firesteel completion <command>

Print a script that completes commands, options, settings after --conf, and drivers in a shell, for firesteel,
spark-submit and the other programs.

  bash     print the script for bash
  zsh      print the script for zsh
  fish     print the script for fish
  suggest  print suggestions for a command line, as these scripts request them

For its use, run: firesteel completion <command> --help
`;

const usages = {
  bash: `Usage: firesteel completion bash

Print the completion script for bash 4 or newer. Add this line to ~/.bashrc:
source <(firesteel completion bash)
`,
  zsh: `Usage: firesteel completion zsh

Print the completion script for zsh. Add this line to ~/.zshrc, after compinit:
source <(firesteel completion zsh)
`,
  fish: `Usage: firesteel completion fish

Print the completion script for fish. Run once:
firesteel completion fish > ~/.config/fish/completions/firesteel.fish
`,
  suggest: `Usage: firesteel completion suggest bash LINE
       firesteel completion suggest zsh|fish ARGUMENT…

Print suggestions for a command line up to the cursor: bash passes it as one text, other shells as arguments. The first
line is full, partial (no space follows), file or directory. Nothing is printed if the line cannot be completed.
`,
};

/** Prints the script of a shell, or a usage text. @returns the exit code */
export function printScript(host: Host, args: readonly string[]): number {
  const selected = selectCommand(host, args, { group: "completion", usage: completionUsage, usages });
  if (selected.command === undefined) return selected.exitCode;
  const { command, rest } = selected;
  parseOptions(rest, { flags: [], values: [], maxPositionals: 0 });
  if (command !== "suggest") host.stdout.write(scripts[command]);
  return exitCodes.ok;
}
