import type { GatewayApplication } from "../model/application.ts";

/** First line of the output for Livy's clients. The driver's log follows. */
export const reportStart = "stdout: ";

/**
 * Returns the lines after the driver's log. There are none until the end is explained: they would move, and clients that page by number
 * would miss lines.
 */
export function reportEnd({ record, submissionLog, isExplained }: GatewayApplication): readonly string[] {
  const { end, namespace, podName } = record;
  if (end === undefined || !isExplained) return [];
  const { exitCode, reason, message } = end;
  const facts = [
    `Driver pod ${namespace}/${podName}: ${end.state}`,
    ...(exitCode === undefined ? [] : [`exit code ${exitCode}`]),
    ...(reason === undefined ? [] : [reason]),
  ];
  const diagnosis = message?.split("\n") ?? [];
  return ["\nstderr: ", ...submissionLog, "\nKubernetes Diagnostics: ", ...diagnosis, facts.join(", ")];
}
