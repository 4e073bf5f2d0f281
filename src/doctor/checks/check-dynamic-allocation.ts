import { dynamicAllocationEnabled } from "../../conf/entries/dynamic-allocation.ts";
import { shuffleServiceEnabled, storageDecommissionEnabled } from "../../conf/entries/shuffle.ts";
import { shuffleProfile } from "../../conf/entries/shuffle-profile.ts";
import type { SparkConf } from "../../conf/spark-conf.ts";
import { allocationIssues, decommissionsWithoutMoving } from "../../plan/shuffle-allocation.ts";
import { type Finding, ok, rejected } from "../finding.ts";

const check = "dynamic-allocation";

/** Reports settings of dynamic allocation that the driver rejects, or with which shuffle data is lost. */
export function checkDynamicAllocation(conf: SparkConf): readonly Finding[] {
  const issues = allocationIssues(conf);
  if (issues.length > 0) return issues.map((found) => rejected(check, found));
  const isDynamic = conf.get(dynamicAllocationEnabled);
  const problems = [...serviceProblems(conf), ...(decommissionsWithoutMoving(conf) ? [lossFinding] : [])];
  if (problems.length > 0) return problems;
  return [ok(check, isDynamic ? "The settings of dynamic allocation are consistent." : "It is off.")];
}

const lossFinding: Finding = {
  ...{ check, status: "warning", key: storageDecommissionEnabled.key },
  reason: "Executors that dynamic allocation removes do not move their shuffle data: its stages run again.",
  fix: "Set it to true.",
};

function serviceProblems(conf: SparkConf): readonly Finding[] {
  if (!conf.get(shuffleServiceEnabled) || conf.readOrAbsent(shuffleProfile) === "service") return [];
  return [
    {
      ...{ check, status: "warning", key: shuffleServiceEnabled.key },
      reason: "Each executor registers with a shuffle service on its node, and ends if there is none.",
      fix: `Set ${shuffleProfile.key} to service for the shuffle service of Firesteel, or to tracking to need none.`,
    },
  ];
}
