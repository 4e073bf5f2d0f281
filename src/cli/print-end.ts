import type { SubmitOutcome } from "../submit/submit-outcome.ts";

/** What decides how an end is told. */
export interface EndOptions {
  /** The cluster lives inside this command, and ends with it. */
  readonly clusterEnds: boolean;
}

/** What is said of an end that is no success, and what to do next. */
export function printEnd(outcome: SubmitOutcome, { clusterEnds }: EndOptions): string {
  const { end, namespace, podName } = outcome;
  const kubectl = (words: string) => `kubectl ${words} --namespace ${namespace} ${podName}`;
  const look = clusterEnds ? [] : [`Hint: To see why: ${kubectl("logs")}`];
  switch (end.kind) {
    case "succeeded":
    case "notAwaited":
      return "";
    case "failed": {
      const code = end.exitCode === undefined ? [] : [`exit code ${end.exitCode}`];
      const reasons = [...code, end.reason, end.message].filter((text) => text !== undefined && text !== "");
      return lines([`The driver ${podName} failed: ${reasons.join(", ") || "no reason told"}`, ...look]);
    }
    case "deleted":
      return lines([`The driver ${podName} was deleted before its end.`]);
    case "unknown":
      return lines([`The end of the driver ${podName} is not known.`, ...look]);
    case "interrupted":
      return lines(interruptedLines(outcome, clusterEnds, kubectl));
  }
}

function interruptedLines(
  { end, namespace, podName }: SubmitOutcome,
  clusterEnds: boolean,
  kubectl: (words: string) => string,
): readonly string[] {
  if (end.kind !== "interrupted") return [];
  if (end.driver === "deleted") return [`Interrupted; the driver ${podName} was deleted.`];
  if (end.driver === "takenBack") {
    if (end.left.length === 0) return [`Interrupted; nothing is left in namespace ${namespace}.`];
    return ["Interrupted.", ...end.left.flatMap(({ message, hint }) => [message, `Hint: ${hint ?? ""}`])];
  }
  if (clusterEnds) return [`Interrupted; the driver ${podName} ends with the embedded cluster.`];
  return [
    `Interrupted; the driver ${podName} goes on without us.`,
    `Hint: To look at it: ${kubectl("logs -f")}`,
    `Hint: To end it: ${kubectl("delete pod")}`,
  ];
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join("");
}
