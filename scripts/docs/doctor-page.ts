import { readFileSync } from "node:fs";
import { checkNames } from "../../src/doctor/finding.ts";
import { laterReasons, type Predictability, predictableCauses } from "../../src/doctor/predictable-causes.ts";
import { code, generatedNote, table } from "./table.ts";

const page = "docs/doctor.md";
const start = generatedNote("src/doctor/predictable-causes.ts");
const end = "<!-- End of the generated part. -->";

/** Builds `docs/doctor.md`: the written page with the current lists of causes. */
export function doctorPage(): string {
  const [before, rest] = readFileSync(page, "utf8").split(`${start}\n`);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`${page} has no generated part`);
  return [`${before}${start}`, predicted(), otherCauses(), `${end}${after}`].join("\n\n");
}

function predicted(): string {
  const rows = checkNames.flatMap((check) => {
    const names = namesOf((row) => row.known === "before" && row.check === check);
    return names === "" ? [] : [[code(check), names]];
  });
  return table(["check", "causes that it predicts"], rows);
}

function otherCauses(): string {
  const rows = Object.entries(laterReasons).map(([name, reason]) => [
    reason,
    namesOf((row) => row.known === "later" && row.reason === name),
  ]);
  return [
    "No check predicts the other causes of [`firesteel diagnose`](why-did-my-driver-not-start.md):",
    table(["reason", "causes"], rows),
  ].join("\n\n");
}

function namesOf(isListed: (row: Predictability) => boolean): string {
  return Object.entries(predictableCauses)
    .flatMap(([name, row]) => (isListed(row) ? code(name) : []))
    .join(", ");
}
