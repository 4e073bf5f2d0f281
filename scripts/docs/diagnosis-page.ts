import { causes } from "../../src/diagnosis/causes.ts";
import type { Rule } from "../../src/diagnosis/rule.ts";
import { ruleGroups } from "../../src/diagnosis/rules/all.ts";
import { generatedNote, table } from "./table.ts";

/** `docs/why-did-my-driver-not-start.md`. */
export function diagnosisPage(): string {
  const titles = [...new Set(ruleGroups.map(({ title }) => title))];
  return `${[
    generatedNote("src/diagnosis/rules"),
    "# Why did my driver not start",
    introduction,
    ...titles.flatMap((title) => [`## ${title}`, causesUnder(title)]),
  ].join("\n\n")}\n`;
}

const introduction = [
  "A driver that does not start, ends badly or hangs has a cause with a name. Firesteel looks at the pod, its events, its logs,",
  "the executors and what stands around them, and tells the cause, where it is seen, and what to do:",
  "",
  "```",
  "firesteel diagnose jobs:pi-3f09c2a1d4e5b6f0-driver",
  "firesteel diagnose --json jobs:pi-3f09c2a1d4e5b6f0-driver",
  "```",
  "",
  "A driver is named by namespace and pod, or as `firesteel status` shows it; `--record FILE` looks at a record of one instead.",
  "The first line prints words for a person, the second one object of JSON for a program:",
  "`{cause, terminal, message, nextStep, key, evidence}`, with the cause `none` where nothing is wrong. `terminal` is true where it",
  "stays so until somebody changes something; else it may pass by itself. What held a driver up and has passed is marked with",
  "`over`. The command ends with 0 where it could diagnose. The names below never change their meaning.",
].join("\n");

function causesUnder(title: string): string {
  const rules = ruleGroups.filter((group) => group.title === title).flatMap((group) => group.rules);
  const names = [...new Set(rules.map(({ cause }) => cause))].sort();
  const rows = names.map((cause) => {
    const own = rules.filter((rule) => rule.cause === cause);
    return [`\`${cause}\``, causes[cause], joined(own, "seen"), joined(own, "remedy")];
  });
  return table(["cause", "what it means", "where it is seen", "what to do"], rows);
}

/** A cause that is recognised in two ways tells both. */
function joined(rules: readonly Rule[], field: "seen" | "remedy"): string {
  return [...new Set(rules.map((rule) => rule[field]))].join(field === "seen" ? "; or: " : " ");
}
