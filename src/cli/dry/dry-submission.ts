import { submitError, withEarlierIssues } from "../../errors/submit-error.ts";
import {
  addExecutor,
  type BuiltDriver,
  type Submission,
  type SubmissionObjects,
} from "../../explain/submission-objects.ts";
import type { Host } from "../../host/host.ts";
import { sparkLog } from "../../host/log.ts";
import { overrideHost } from "../../host/override-host.ts";
import type { RenderedSubmission } from "../../masters/master-strategy.ts";
import { render } from "../../masters/render.ts";
import { seededHost } from "../../resolve/seeded-host.ts";
import { localSpark, withLauncherEnvironment } from "../environment.ts";
import { readCommandLine } from "../read-command-line.ts";

/** A planned submission, without any side effect. */
export interface DrySubmission extends BuiltDriver {
  readonly submission: Submission;
  /** Builds all objects, which not every command needs. */
  readonly objects: () => SubmissionObjects;
}

/**
 * Reads and plans what a submission with these arguments would read and plan; no API is contacted.
 *
 * @param seed for IDs and times; default: random IDs and the current time, as for a submission
 * @throws SubmitError as a submission
 */
export async function drySubmission(host: Host, args: readonly string[], seed?: string): Promise<DrySubmission> {
  const own = overrideHost(seed === undefined ? host : seededHost(host, seed), { argv: args });
  const machine = await withLauncherEnvironment(own);
  const { invocation, issues } = await readCommandLine(machine);
  if (invocation.action !== "submit") throw submitError("SUBMIT_ERR_NOTHING_TO_SUBMIT", {});
  const input = { host: machine, log: sparkLog(machine, "WARN"), invocation, issues };
  const rendered = await withEarlierIssues(issues, async () =>
    render(
      { ...input, localSpark: await localSpark(machine) },
      {
        seed,
        openEmbedded: async (options) => (await import("./describe-embedded.ts")).describeEmbedded(host, options),
      },
    ),
  );
  return toDrySubmission(rendered);
}

/** Converts a rendered submission. */
export function toDrySubmission({ request, driver, built, executor, userSteps }: RenderedSubmission): DrySubmission {
  const submission = { request, facts: driver.facts, executor, userSteps };
  return { submission, driver, built, objects: () => addExecutor({ driver, built }, executor) };
}
