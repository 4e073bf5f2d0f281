import { causes } from "../../src/diagnosis/causes.ts";
import type { Rule } from "../../src/diagnosis/rule.ts";
import { ruleGroups } from "../../src/diagnosis/rules/all.ts";
import { accuracyOf, halvesOf, resultOf } from "../../test/golden/fault-accuracy.ts";
import { recordedScenarios } from "../../test/golden/recorded-fault.ts";
import { accuracyTable } from "./accuracy-table.ts";
import { generatedNote, table } from "./table.ts";

/** Builds `docs/why-did-my-driver-not-start.md`. */
export function diagnosisPage(): string {
  const titles = [...new Set(ruleGroups.map(({ title }) => title))];
  return `${[
    generatedNote("src/diagnosis/rules"),
    "# Why did my driver not start",
    introduction,
    ...titles.flatMap((title) => [`## ${title}`, causesUnder(title)]),
    "## How often the diagnosis is right",
    accuracy(),
  ].join("\n\n")}\n`;
}

const introduction = [
  "To find out why a driver does not start, fails or hangs, run `firesteel diagnose`. It reads the pod, its events and logs, the",
  "executors and related objects. It prints the name of the cause, the evidence and the next step:",
  "",
  "```",
  "firesteel diagnose jobs:pi-3f09c2a1d4e5b6f0-driver",
  "firesteel diagnose --json jobs:pi-3f09c2a1d4e5b6f0-driver",
  "```",
  "",
  "Specify the driver by namespace and pod, or by an ID that `firesteel status` prints. To diagnose a recorded submission, use",
  "`--record FILE`. The first command prints text, the second one JSON object:",
  "`{cause, terminal, message, nextStep, key, evidence}`. Without a problem, the cause is `none`. `terminal` is true if the problem",
  "persists until you change something. Otherwise, it can resolve by itself. A problem that delayed the driver and is resolved has",
  "the field `over`. The exit code is 0 for every diagnosis. The names below never change their meaning.",
  "",
  "Spark deletes its executors when the driver ends. The `spark-submit` that waits for the driver knows their last status and logs, and so does",
  "`firesteel diagnose` while the driver runs. Later, only the driver's log shows what happened to them. To keep them, set",
  "`spark.kubernetes.executor.deleteOnTermination=false`. Output of the application is never taken for a reason: of a log, only the records and",
  "exceptions of Spark, the JVM and Python count.",
].join("\n");

/** Describes the measurement on the recorded scenarios. */
function accuracy(): string {
  const { development, testing } = halvesOf(recordedScenarios().map(resultOf));
  const text = [
    "The rules are tested with faults that were recorded on a real Kubernetes and on the embedded cluster, with Spark 3.5 to 4.3, in Java and",
    "Python. A hash of each name decides whether rules may be written for it, or whether it is only for testing. A diagnosis is right if it names",
    "the true cause at the end of the record, and wrong if it names another cause at any time. Precision is the share of right",
    "diagnoses; recall is the share of faults that are diagnosed. To repeat the measurement, run `npm run measure:diagnosis`. Its limits: one node, and",
    "faults that were set up for the purpose. The faults of your clusters are others.",
  ].join("\n");
  return `${text}\n\n${accuracyTable({ development: accuracyOf(development), testing: accuracyOf(testing) })}`;
}

function causesUnder(title: string): string {
  const rules = ruleGroups.filter((group) => group.title === title).flatMap((group) => group.rules);
  const names = [...new Set(rules.map(({ cause }) => cause))].sort();
  const rows = names.map((cause) => {
    const own = rules.filter((rule) => rule.cause === cause);
    return [`\`${cause}\``, causes[cause], joined(own, "seen"), joined(own, "remedy")];
  });
  return table(["cause", "what it means", "where it is seen", "what to do"], rows);
}

/** Joins the texts of all rules for a cause. */
function joined(rules: readonly Rule[], field: "seen" | "remedy"): string {
  return [...new Set(rules.map((rule) => rule[field]))].join(field === "seen" ? "; or: " : " ");
}
