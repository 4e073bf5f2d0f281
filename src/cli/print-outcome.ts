import { printSpan } from "../masters/kubernetes/monitor/span.ts";
import type { SubmitOutcome } from "../masters/kubernetes/submit-outcome.ts";

/** What decides how an end is told. */
export interface OutcomeOptions {
  /** The cluster lives inside this command, and ends with it. */
  readonly clusterEnds: boolean;
}

/**
 * What is said of an end that is no success, and what to do next.
 *
 * Nothing of it looks like `exit code: N`: tools take the last such text of all that is said for the driver's.
 */
export function printOutcome(outcome: SubmitOutcome, { clusterEnds }: OutcomeOptions): string {
  const { end, namespace, podName } = outcome;
  const kubectl: Kubectl = (words) => `kubectl ${words} --namespace ${namespace} ${podName}`;
  const reason = reasonLines(outcome);
  const look = clusterEnds || reason.length > 0 ? reason : [`Hint: To see why: ${kubectl("logs")}`];
  switch (end.kind) {
    case "succeeded":
    case "notAwaited":
      return "";
    case "failed": {
      const code = end.exitCode === undefined ? [] : [`exit code ${end.exitCode}`];
      const reasons = [...code, end.reason, end.message].filter((text) => text !== undefined && text !== "");
      const plain = reason.length === 0 ? "no reason told" : "it did not start";
      return lines([`The driver ${podName} failed: ${reasons.join(", ") || plain}`, ...look]);
    }
    case "deleted":
      return lines([`The driver ${podName} was deleted before its end.`, ...reason]);
    case "unknown":
      return lines([`The end of the driver ${podName} is not known.`, ...look]);
    case "givenUp":
      return lines([
        `The driver ${podName} ${terminationText(end.why)}${end.driver === "deleted" ? " and was deleted." : "."}`,
        ...leftLines(end, kubectl),
        ...reason,
      ]);
    case "interrupted":
      return lines(interruptedLines(outcome, clusterEnds, kubectl));
  }
}

function reasonLines({ diagnosis }: SubmitOutcome): readonly string[] {
  if (diagnosis === undefined) return [];
  const log = diagnosis.evidence.filter(({ in: place }) => place === "initLog");
  return [
    `Reason: ${diagnosis.message}`,
    ...log.map(({ text }) => `\t its log: ${text}`),
    `Hint: ${diagnosis.nextStep}`,
  ];
}

type End<K> = Extract<SubmitOutcome["end"], { readonly kind: K }>;
type Kubectl = (words: string) => string;

function terminationText(why: End<"givenUp">["why"]): string {
  switch (why.kind) {
    case "startTimeout":
      return `had not started after ${printSpan(why.limitMs)}`;
    case "runTimeout":
      return `had not ended after ${printSpan(why.limitMs)}`;
    case "hopeless":
      return "will not start until something is changed";
  }
}

/** What could not be deleted, and how to do it. */
function leftLines(
  { driver, left }: Pick<End<"givenUp">, "driver" | "left">,
  kubectl: Kubectl,
): readonly string[] {
  if (driver === "deleted" || left.length === 0) return [];
  return [
    ...left.map(({ message }) => `It could not be deleted: ${message}`),
    `Hint: To end it: ${kubectl("delete pod")}`,
  ];
}

function interruptedLines(
  { end, namespace, podName, master }: SubmitOutcome,
  clusterEnds: boolean,
  kubectl: Kubectl,
): readonly string[] {
  if (end.kind !== "interrupted") return [];
  if (end.driver === "deleted") return [`Interrupted; the driver ${podName} was deleted.`];
  if (end.driver === "takenBack") {
    if (end.left.length === 0) return [`Interrupted; nothing is left in namespace ${namespace}.`];
    return ["Interrupted.", ...end.left.flatMap(({ message, hint }) => [message, `Hint: ${hint ?? ""}`])];
  }
  if (clusterEnds) return [`Interrupted; the driver ${podName} ends with the embedded cluster.`];
  if (end.left.length > 0) return [`Interrupted; the driver ${podName} goes on.`, ...leftLines(end, kubectl)];
  return [
    `Interrupted; the driver ${podName} goes on without us.`,
    `Hint: To wait for it again: firesteel attach ${namespace}:${podName} --master ${master}`,
    `Hint: To look at it: ${kubectl("logs -f")}`,
    `Hint: To end it: ${kubectl("delete pod")}`,
  ];
}

/** Line ends are ours alone, and the words that tools look for stand only where the driver's exit code is told. */
function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text.replace(/(exit code):(?=\s*\d)/gi, "$1")}\n`).join("");
}
