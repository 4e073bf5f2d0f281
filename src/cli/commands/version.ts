import type { Host } from "../../host/host.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { parseOptions } from "../parse-options.ts";
import { firesteelVersion } from "../version.ts";

const versionUsage = `Usage: firesteel version

Print the version of Firesteel.
`;

/** Runs `firesteel version`. @returns the exit code */
export function runVersionCommand(host: Host, args: readonly string[]): number {
  if (!isHelpRequest(args)) parseOptions(args, { flags: [], values: [], maxPositionals: 0 });
  host.stdout.write(isHelpRequest(args) ? versionUsage : `firesteel ${firesteelVersion}\n`);
  return exitCodes.ok;
}
