import type { Issue } from "../errors/issue.ts";
import { indentedLines } from "../host/visible-text.ts";
import { printClusterOptions } from "../masters/print-cluster-options.ts";
import { printSpan } from "../masters/print-span.ts";
import type { KubernetesOutcome } from "../masters/submit-outcome.ts";
import { withoutDriverFields } from "../masters/without-driver-fields.ts";

/** Context of an outcome. */
interface OutcomeOptions {
  /** Whether the cluster runs inside this command and ends with it. */
  readonly clusterEnds: boolean;
}

/**
 * Prints an unsuccessful outcome: lines `Error: …`, `Reason: …` with the diagnosis, and `Hint: …`. Nothing for a success.
 *
 * The text never contains `exit code: N`: tools such as Airflow take the last such text of the output for the driver's exit code.
 */
export function printOutcome(outcome: KubernetesOutcome, { clusterEnds }: OutcomeOptions): string {
  const { diagnosis, end, podName } = outcome;
  const commands = driverCommands(outcome);
  const reason = reasonLines(outcome);
  const needsLog = !clusterEnds && (reason.length === 0 || isInLog(outcome));
  const reasonOrHint = needsLog ? [...reason, `Hint: Read its log: ${commands.log}`] : reason;
  switch (end.kind) {
    case "succeeded":
    case "notAwaited":
      return "";
    case "failed": {
      const code = end.exitCode === undefined ? [] : [`exit code ${end.exitCode}`];
      const { message, output } = splitMessage(end);
      const reasons = [...code, end.reason, message].filter((text) => text !== undefined && text !== "");
      const fallback = reason.length === 0 ? "the cluster reports no reason" : "it did not start";
      const error = `Error: The driver ${podName} failed: ${reasons.join(", ") || fallback}`;
      return lines([error, ...(diagnosis === undefined ? output : []), ...reasonOrHint]);
    }
    case "deleted":
      return lines([`Error: The driver ${podName} was deleted before it ended.`, ...reason]);
    case "unknown":
      return lines([`Error: The outcome of the driver ${podName} is unknown.`, ...reasonOrHint]);
    case "terminated":
      return lines([
        `Error: The driver ${podName} ${terminationText(end.why)}${end.driver === "deleted" ? " and was deleted." : "."}`,
        ...deletionLines(end, commands),
        ...reason,
      ]);
    case "interrupted":
      return lines(interruptedLines(outcome, clusterEnds, commands));
  }
}

function reasonLines({ diagnosis }: KubernetesOutcome): readonly string[] {
  if (diagnosis === undefined) return [];
  const { cause, evidence, message, nextStep } = diagnosis;
  const log = evidence.filter(
    ({ in: source }) => source === "initLog" || (source === "log" && cause === "application-exit"),
  );
  return [`Reason: ${message}`, ...log.map(({ text }) => logLine(text)), `Hint: ${nextStep}`];
}

/** Returns whether the driver's log has more about the problem than the diagnosis quotes. */
function isInLog({ diagnosis }: KubernetesOutcome): boolean {
  return (
    diagnosis?.cause === "application-exit" || diagnosis?.evidence.some(({ in: source }) => source === "log") === true
  );
}

function logLine(text: string): string {
  return `\t Log: ${text}`;
}

const maxOutputLines = 3;

/** Distinguishes a message from the output of a container, which the kubelet uses if the pod's terminationMessagePolicy requests it. */
function splitMessage({ pod, reason, message = "" }: End<"failed">) {
  const policies = pod.spec?.containers.map(({ terminationMessagePolicy }) => terminationMessagePolicy);
  if (reason !== "Error" || policies?.includes("FallbackToLogsOnError") !== true) return { message, output: [] };
  const texts = message.split("\n").filter((text) => text.trim() !== "");
  return { message: undefined, output: texts.slice(-maxOutputLines).map(logLine) };
}

type End<K> = Extract<KubernetesOutcome["end"], { readonly kind: K }>;

/** Commands for a driver, as the user can type them. */
interface DriverCommands {
  readonly wait: string;
  readonly log: string;
  readonly followedLog: string;
  readonly diagnosis: string;
  readonly deletion: string;
}

/** Returns the commands for a driver, which reach its cluster without KUBECONFIG or the current context. */
function driverCommands({ namespace, podName, ...cluster }: KubernetesOutcome): DriverCommands {
  const options = printClusterOptions(cluster);
  const command = (name: string) => `firesteel ${name} ${namespace}:${podName} ${options}`;
  return {
    wait: command("attach"),
    log: command("logs"),
    followedLog: `${command("logs")} -f`,
    diagnosis: command("diagnose"),
    deletion: command("kill"),
  };
}

function terminationText(why: End<"terminated">["why"]): string {
  switch (why.kind) {
    case "startTimeout":
      return `did not start within ${printSpan(why.limitMs)}`;
    case "runTimeout":
      return `did not end within ${printSpan(why.limitMs)}`;
    case "unrecoverable":
      return "will not start without a change";
  }
}

/** Prints why the driver could not be deleted, and the command for it. */
function deletionLines(
  { driver, left }: Pick<End<"terminated" | "interrupted">, "driver" | "left">,
  { deletion }: DriverCommands,
): readonly string[] {
  if (driver === "deleted" || left.length === 0) return [];
  return [...left.map(({ message }) => `Error: Cannot delete it: ${message}`), `Hint: Delete it: ${deletion}`];
}

function interruptedLines(
  outcome: KubernetesOutcome,
  clusterEnds: boolean,
  commands: DriverCommands,
): readonly string[] {
  const { end, namespace, podName } = outcome;
  if (end.kind !== "interrupted") return [];
  if (end.driver === "deleted") return [`Interrupted; the driver ${podName} was deleted.`];
  if (end.driver === "rolledBack") {
    if (end.left.length === 0) return [`Interrupted; all created objects were deleted from namespace ${namespace}.`];
    const sweep = `firesteel sweep --namespace ${namespace} ${printClusterOptions(outcome)}`;
    const hint = clusterEnds ? [] : [`Hint: Clean up objects without a driver after 10 minutes: ${sweep}`];
    return ["Interrupted.", ...end.left.flatMap(issueLines), ...hint];
  }
  if (clusterEnds) return [`Interrupted; the driver ${podName} ends with the embedded cluster.`];
  if (end.left.length > 0)
    return [`Interrupted; the driver ${podName} keeps running.`, ...deletionLines(end, commands)];
  return [
    `Interrupted; the driver ${podName} keeps running.`,
    `Hint: Wait for it again: ${commands.wait}`,
    `Hint: Read its log: ${commands.followedLog}`,
    `Hint: Find out why it makes no progress: ${commands.diagnosis}`,
    `Hint: Delete it: ${commands.deletion}`,
  ];
}

function issueLines({ message, hint }: Issue): readonly string[] {
  return [`Error: ${message}`, ...(hint === undefined ? [] : [`Hint: ${hint}`])];
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${indentedLines(withoutDriverFields(text))}\n`).join("");
}
