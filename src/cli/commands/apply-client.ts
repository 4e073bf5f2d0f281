import type { ApplicationSubmission } from "../../applications/application-submission.ts";
import type { AppliedApplication } from "../../applications/applied-application.ts";
import { fieldKeys } from "../../conf/entries/spark-application.ts";
import type { Host } from "../../host/host.ts";
import { removeTree } from "../../host/remove-tree.ts";
import { makePrivateDirectory } from "../../host/state-directory.ts";
import { interruption } from "../../masters/interruption.ts";
import { submitInvocation } from "../../masters/submit-invocation.ts";
import { readSettings } from "../../resolve/read-settings.ts";
import { specifiedOrDefaultMaster } from "../../resolve/specified-master.ts";
import { afterSubmission, decide } from "../../spark-application/state/decide.ts";
import { hasEnded, newStatus, type ObservedDriver } from "../../spark-application/state/status.ts";
import type { FileArguments } from "../applications/cluster-options.ts";
import { localSpark, withEmbedded, withLauncherEnvironment } from "../environment.ts";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";
import { profileSettings } from "../profiles/with-profile.ts";

interface ClientCall {
  readonly host: Host;
  readonly parsed: Pick<FileArguments<"--wait" | "--watch" | "--json">, "has" | "commandLine">;
  readonly application: AppliedApplication;
}

/**
 * Applies an application in client mode: runs its driver in a JVM of this machine until it ends. There is no driver in the cluster that
 * records whether the application has run already, so it runs each time.
 *
 * @returns the exit code of the driver
 */
export async function applyClient({ host, parsed, application }: ClientCall): Promise<number> {
  const { file, name, fields } = application;
  const report = (action: string) => {
    if (parsed.has("--json")) host.stdout.write(`${JSON.stringify({ application: name, action })}\n`);
    else host.stderr.write(`${file}: ${name} ${action}\n`);
  };
  if (fields.suspend === true) {
    report("suspended");
    return exitCodes.ok;
  }
  const machine = await withLauncherEnvironment(host);
  const submission = await clientSubmission(machine, { parsed, application });
  const spark = await localSpark(machine);
  return withEmbedded(machine, async (openEmbedded) => {
    const runDriver = () =>
      withTemplateFiles(machine, submission, async (invocation) => {
        if (!parsed.has("--json")) report("runs its driver on this machine (mode: client)");
        const outcome = await submitInvocation({ host: machine, invocation, openEmbedded, localSpark: spark });
        return outcome.podName === undefined ? outcome.end.exitCode : exitCodeOf(outcome);
      });
    const code = parsed.has("--watch") ? await repeat(host, application, runDriver) : await runDriver();
    report(code === exitCodes.ok ? "completed" : "failed");
    return code;
  });
}

/** Builds the submission to the cluster of the command line, else of the profile, else of the kubeconfig. */
async function clientSubmission(
  machine: Host,
  { parsed: { commandLine }, application }: Pick<ClientCall, "parsed" | "application">,
): Promise<ApplicationSubmission> {
  const name = commandLine.fields.profile;
  const profile = name === undefined ? [] : await profileSettings(machine, name);
  const withProfile = { ...commandLine, settings: [...profile, ...commandLine.settings] };
  const { settings } = readSettings(machine, withProfile);
  const master = await specifiedOrDefaultMaster(machine, { commandLine: withProfile, settings, env: machine.env });
  return application.submit(machine, { ...commandLine, profile, fields: { ...commandLine.fields, master } });
}

/** Calls a function with an invocation whose pod template of executors is a file that a JVM can read. */
async function withTemplateFiles<T>(
  machine: Host,
  { host, invocation }: ApplicationSubmission,
  use: (invocation: ApplicationSubmission["invocation"]) => Promise<T>,
): Promise<T> {
  const key = fieldKeys.executor.template;
  const template = invocation.settings.find((setting) => setting.key === key)?.value;
  const text = template === undefined ? undefined : host.files.readText(template);
  if (text === undefined) return use(invocation);
  const directory = makePrivateDirectory(machine);
  try {
    const value = `${directory}/executor-template.json`;
    machine.files.write(value, text);
    const settings = invocation.settings.map((setting) => (setting.key === key ? { ...setting, value } : setting));
    return await use({ ...invocation, settings });
  } finally {
    removeTree(machine.files, directory);
  }
}

/** Repeats the driver as `restartPolicy` says, until an interrupt. @returns the exit code of the last one */
async function repeat(host: Host, { fields }: AppliedApplication, runDriver: () => Promise<number>): Promise<number> {
  const interrupted = interruption(host);
  const { signal } = interrupted;
  const lifetime = fields.restartPolicy === undefined ? {} : { restartPolicy: fields.restartPolicy };
  let status = newStatus;
  let driver: ObservedDriver | undefined;
  let code: number = exitCodes.ok;
  try {
    while (!signal.aborted) {
      const decision = decide(lifetime, status, { nowMs: host.clock.now(), driver });
      status = decision.status;
      if (hasEnded(status)) return code;
      if (decision.action === "deleteDriver") driver = undefined;
      if (decision.action === "submit") {
        status = afterSubmission(status, { nowMs: host.clock.now() }).status;
        code = await runDriver();
        driver = endedDriver(code);
      } else await host.clock.sleep(decision.againAfterMs ?? 0, { signal });
    }
    const received = interrupted.received();
    return received === undefined ? code : exitCodes[received];
  } finally {
    interrupted.stop();
  }
}

/** Returns what a driver's pod would show. */
function endedDriver(exitCode: number): ObservedDriver {
  const hasSucceeded = exitCode === exitCodes.ok;
  return {
    phase: hasSucceeded ? "Succeeded" : "Failed",
    terminated: { exitCode, reason: hasSucceeded ? "Completed" : "Error" },
  };
}
