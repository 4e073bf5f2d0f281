import { checkSubmission } from "../../doctor/check-submission.ts";
import type { Finding } from "../../doctor/finding.ts";
import { submitError, withEarlierIssues } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { overrideHost } from "../../host/override-host.ts";
import type { OpenClient } from "../../masters/master-strategy.ts";
import { splitLeadingOptions } from "../dry/split-leading-options.ts";
import { localSpark, withEmbedded, withLauncherEnvironment } from "../environment.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { hasFailure, printFindings, printFindingsJson } from "../print-findings.ts";
import { readCommandLine } from "../read-command-line.ts";

const doctorUsage = `Usage: firesteel doctor [options] <spark-submit arguments>

Check what would go wrong with a submission to Kubernetes in cluster mode, with reasons and fixes: arguments, settings
and templates; the staging server; the API, credentials and clock; the permissions of your account and of the driver; the
namespace, and objects that the pods need; quotas, nodes and images; and what the API would say to each object. Nothing is
created or uploaded. Put the options of doctor before the spark-submit arguments.

Options:
  --json                  one JSON object: passed, and findings with check, status (ok, warning, failure or skipped),
                          cause, reason, fix and key

The exit code is 1 if the submission will fail, else 0. A check that your account may not do is skipped, and so is a
submission to another master.
`;

/** Runs `firesteel doctor`. @returns the exit code */
export async function runDoctorCommand(host: Host, args: readonly string[], openClient?: OpenClient): Promise<number> {
  const { own, submission } = splitLeadingOptions(args, { flags: ["--json", "--help", "-h"], values: [] });
  if (own.has("--help") || own.has("-h") || isHelpRequest(submission.slice(0, 1))) {
    host.stdout.write(doctorUsage);
    return exitCodes.ok;
  }
  const findings = await examine(overrideHost(host, { argv: submission }), openClient);
  host.stdout.write(own.has("--json") ? printFindingsJson(findings) : printFindings(findings));
  return hasFailure(findings) ? exitCodes.failed : exitCodes.ok;
}

/** Checks the submission in `host.argv`. @throws SUBMIT_ERR_NOTHING_TO_SUBMIT, and errors of the command line */
async function examine(host: Host, openClient: OpenClient | undefined): Promise<readonly Finding[]> {
  const machine = await withLauncherEnvironment(host);
  const { invocation, issues } = await readCommandLine(machine);
  if (invocation.action !== "submit") throw submitError("SUBMIT_ERR_NOTHING_TO_SUBMIT", {});
  return withEarlierIssues(issues, () =>
    withEmbedded(machine, async (openEmbedded) => {
      const input = { invocation, issues, localSpark: await localSpark(machine) };
      return checkSubmission({ host: machine, input, openEmbedded, openClient });
    }),
  );
}
