import type { AppliedApplication } from "../../applications/applied-application.ts";
import type { Host } from "../../host/host.ts";
import { dryApplication } from "../dry/dry-application.ts";
import type { DrySubmission } from "../dry/dry-submission.ts";
import { withLauncherEnvironment } from "../environment.ts";
import { profileSettings } from "../profiles/with-profile.ts";
import { parseFileArguments } from "./cluster-options.ts";
import { loadFiles } from "./load-files.ts";

/** Cluster of an application whose file and options name none. No API is contacted. */
export const apiInPods = "k8s://https://kubernetes.default.svc";

interface DryFilesOptions {
  readonly command: string;
  readonly seed: string | undefined;
}

/**
 * Plans the submissions of files of applications, with the arguments of `apply`. Omits schedules, and applications that are suspended or
 * in client mode, with a line on stderr for each.
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
    const reason = omissionText(application);
    if (application.kind === "schedule" || reason !== undefined) {
      machine.stderr.write(reason ?? "");
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

function omissionText(resource: Awaited<ReturnType<typeof loadFiles>>[number]): string | undefined {
  if (resource.kind === "application") return noObjectsText(resource);
  const advice = `Print its runs: firesteel schedule --file ${resource.file}`;
  return `${resource.file}: ${resource.schedule.metadata.name} is a schedule: nothing is submitted now.\nHint: ${advice}\n`;
}

/** Returns the reason why an application has no objects to print; `undefined` if it has. */
export function noObjectsText({
  file,
  name,
  fields,
  deployMode,
}: Pick<AppliedApplication, "file" | "name" | "fields" | "deployMode">): string | undefined {
  if (fields.suspend === true) return `${file}: ${name} is suspended: nothing is submitted.\n`;
  if (deployMode === "cluster") return undefined;
  const text = `${file}: ${name} is in client mode: its driver is a process of this machine, which creates the executors.`;
  return `${text}\nHint: Print its command: firesteel convert --to command -f ${file}\n`;
}
