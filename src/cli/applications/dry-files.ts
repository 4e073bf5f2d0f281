import type { Host } from "../../host/host.ts";
import { dryApplication } from "../dry/dry-application.ts";
import type { DrySubmission } from "../dry/dry-submission.ts";
import { withLauncherEnvironment } from "../environment.ts";
import { profileSettings } from "../profiles/with-profile.ts";
import { parseFileArguments } from "./cluster-options.ts";
import { loadFiles } from "./load-files.ts";

/** Cluster of an application whose file and options name none. No API is contacted. */
const apiInPods = "k8s://https://kubernetes.default.svc";

interface DryFilesOptions {
  readonly command: string;
  readonly seed: string | undefined;
}

/**
 * Plans the submissions of files of applications, with the arguments of `apply`. Omits schedules and suspended applications, with a
 * line on stderr for each.
 *
 * @throws SUBMIT_ERR_MANIFEST_…, and what a submission throws
 */
export async function dryFiles(
  host: Host,
  args: readonly string[],
  { command, seed }: DryFilesOptions,
): Promise<readonly DrySubmission[]> {
  const parsed = parseFileArguments(args, { command, flags: [] });
  const { commandLine } = parsed;
  const machine = await withLauncherEnvironment(host);
  const planned: DrySubmission[] = [];
  for (const application of await loadFiles(machine, parsed)) {
    if (application.kind === "schedule" || application.fields.suspend === true) {
      machine.stderr.write(omissionText(application));
      continue;
    }
    const name = commandLine.fields.profile ?? application.profile;
    const profile = name === undefined ? [] : await profileSettings(machine, name);
    const master = commandLine.fields.master ?? application.master ?? apiInPods;
    const overrides = { ...commandLine, profile, fields: { ...commandLine.fields, master } };
    planned.push(await dryApplication(machine, (each) => application.submit(each, overrides), { seed }));
  }
  return planned;
}

function omissionText(omitted: Awaited<ReturnType<typeof loadFiles>>[number]): string {
  if (omitted.kind === "application") return `${omitted.file}: ${omitted.name} is suspended: nothing is submitted.\n`;
  const advice = `Print its runs: firesteel schedule --file ${omitted.file}`;
  return `${omitted.file}: ${omitted.schedule.metadata.name} is a schedule: nothing is submitted now.\nHint: ${advice}\n`;
}
