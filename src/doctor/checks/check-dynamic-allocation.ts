import { decommissionEnabled } from "../../conf/entries/driver.ts";
import {
  dynamicAllocationEnabled,
  dynamicAllocationInitialExecutors,
  dynamicAllocationMaxExecutors,
  dynamicAllocationMinExecutors,
} from "../../conf/entries/dynamic-allocation.ts";
import {
  shuffleDecommissionEnabled,
  shuffleServiceEnabled,
  shuffleTrackingEnabled,
  storageDecommissionEnabled,
} from "../../conf/entries/shuffle.ts";
import { shuffleProfile } from "../../conf/entries/shuffle-profile.ts";
import type { SparkConf } from "../../conf/spark-conf.ts";
import { decommissionsWithoutMoving, losesShuffleData } from "../../plan/shuffle-allocation.ts";
import { type Finding, ok, rejected } from "../finding.ts";

const check = "dynamic-allocation";

const allocationEntries = [
  ...[dynamicAllocationEnabled, dynamicAllocationInitialExecutors, dynamicAllocationMaxExecutors],
  ...[dynamicAllocationMinExecutors, shuffleDecommissionEnabled, shuffleServiceEnabled, shuffleTrackingEnabled],
  ...[storageDecommissionEnabled, decommissionEnabled],
];

/**
 * Reports settings of dynamic allocation that the driver rejects, or with which shuffle data is lost.
 *
 * Source: Spark ExecutorAllocationManager.validateSettings.
 */
export function checkDynamicAllocation(conf: SparkConf): readonly Finding[] {
  const invalid = conf.check(allocationEntries).map((found) => rejected(check, found));
  if (invalid.length > 0) return invalid;
  const isDynamic = conf.get(dynamicAllocationEnabled);
  const problems = [...serviceProblems(conf), ...(isDynamic ? [...limitProblems(conf), ...shuffleProblems(conf)] : [])];
  if (problems.length > 0) return problems;
  return [ok(check, isDynamic ? "The settings of dynamic allocation are consistent." : "It is off.")];
}

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

function limitProblems(conf: SparkConf): readonly Finding[] {
  const min = conf.get(dynamicAllocationMinExecutors);
  const max = conf.get(dynamicAllocationMaxExecutors);
  const rejected = {
    check,
    status: "failure",
    cause: "setting-invalid",
    key: dynamicAllocationMaxExecutors.key,
  } as const;
  if (min < 0 || max <= 0) {
    const key = min < 0 ? dynamicAllocationMinExecutors.key : dynamicAllocationMaxExecutors.key;
    const reason = `The driver rejects ${min} to ${max} executors: the minimum must be 0 or more, the maximum 1 or more.`;
    return [{ ...rejected, key, reason, fix: "Correct the number." }];
  }
  if (min <= max) return [];
  const reason = `The driver rejects a minimum of ${min} executors, which is more than the maximum of ${max}.`;
  return [{ ...rejected, reason, fix: `Raise the maximum, or lower ${dynamicAllocationMinExecutors.key}.` }];
}

function shuffleProblems(conf: SparkConf): readonly Finding[] {
  if (losesShuffleData(conf)) {
    const key = shuffleTrackingEnabled.key;
    const reason = "The driver rejects dynamic allocation that does not keep shuffle data of removed executors.";
    const fix = `Set ${shuffleProfile.key} to tracking, decommission, service or plugin.`;
    return [{ check, status: "failure", cause: "setting-invalid", key, reason, fix }];
  }
  if (!decommissionsWithoutMoving(conf)) return [];
  const reason = "Executors that dynamic allocation removes do not move their shuffle data: its stages run again.";
  return [{ check, status: "warning", key: storageDecommissionEnabled.key, reason, fix: "Set it to true." }];
}
