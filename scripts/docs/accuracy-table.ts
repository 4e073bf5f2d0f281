import type { Accuracy } from "../../test/golden/fault-accuracy.ts";
import { table } from "./table.ts";

/** Builds the table of precision and recall of the diagnosis. */
export function accuracyTable({
  development,
  testing,
}: {
  readonly development: Accuracy;
  readonly testing: Accuracy;
}) {
  const row = (name: string, { faults, healthy, right, wrong, precision, recall }: Accuracy) => [
    ...[name, String(faults), String(healthy), String(right), String(wrong)],
    ...[percent(precision), percent(recall)],
  ];
  const head = ["scenarios", "faults", "healthy", "right", "wrong", "precision", "recall"];
  return table(head, [row("for development", development), row("only for testing", testing)]);
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
