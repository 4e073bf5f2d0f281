import type { Host } from "../../host/host.ts";

/** Runs `firesteel completion`. Suggestions load nothing that they do not need: the user waits for each. @returns the exit code */
export async function runCompletionCommand(host: Host, args: readonly string[]): Promise<number> {
  if (args[0] !== "suggest" || args.length === 1 || args[1] === "--help" || args[1] === "-h")
    return (await import("../completion/print-script.ts")).printScript(host, args);
  return (await import("../completion/suggest.ts")).suggest(host, args.slice(1));
}
