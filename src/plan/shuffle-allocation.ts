import { jars, jarsPackages } from "../conf/entries/app.ts";
import { decommissionEnabled, podTemplateFile } from "../conf/entries/driver.ts";
import {
  dynamicAllocationEnabled,
  dynamicAllocationInitialExecutors,
  dynamicAllocationMaxExecutors,
  dynamicAllocationMinExecutors,
} from "../conf/entries/dynamic-allocation.ts";
import { executorInstances } from "../conf/entries/executor.ts";
import {
  executorAllocationRatio,
  schedulerBacklogTimeout,
  shuffleDecommissionEnabled,
  shuffleIoPlugin,
  shuffleServiceEnabled,
  shuffleTrackingEnabled,
  storageDecommissionEnabled,
  sustainedSchedulerBacklogTimeout,
} from "../conf/entries/shuffle.ts";
import { type ShuffleProfile, shuffleProfile } from "../conf/entries/shuffle-profile.ts";
import { shuffleKeys, shufflePlugins } from "../conf/entries/shuffle-profile-settings.ts";
import type { ConfEntry } from "../conf/entry.ts";
import { splitList } from "../conf/kinds.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { type Issue, issue } from "../errors/issue.ts";
import { executorGrowth, initialExecutors } from "./executor-count.ts";

/**
 * Returns whether the driver rejects dynamic allocation, because nothing keeps the shuffle data of executors that it removes.
 *
 * Source: Spark ExecutorAllocationManager.validateSettings.
 */
export function losesShuffleData(conf: SparkConf): boolean {
  if (!conf.readOrAbsent(dynamicAllocationEnabled)) return false;
  if (conf.readOrAbsent(shuffleServiceEnabled) || conf.readOrAbsent(shuffleTrackingEnabled)) return false;
  return !hasPlugin(conf) && !(conf.readOrAbsent(decommissionEnabled) && conf.readOrAbsent(shuffleDecommissionEnabled));
}

/** Whether executors of dynamic allocation are decommissioned but do not move their shuffle data. */
export function decommissionsWithoutMoving(conf: SparkConf): boolean {
  const isKept = conf.readOrAbsent(shuffleServiceEnabled) || conf.readOrAbsent(shuffleTrackingEnabled);
  if (!conf.readOrAbsent(dynamicAllocationEnabled) || isKept || hasPlugin(conf)) return false;
  return conf.readOrAbsent(decommissionEnabled) && !conf.readOrAbsent(storageDecommissionEnabled);
}

function hasPlugin(conf: SparkConf): boolean {
  return conf.readOrAbsent(shuffleIoPlugin) !== shuffleIoPlugin.absent;
}

const limitEntries = [
  ...[dynamicAllocationEnabled, dynamicAllocationInitialExecutors, dynamicAllocationMaxExecutors],
  ...[
    dynamicAllocationMinExecutors,
    executorAllocationRatio,
    schedulerBacklogTimeout,
    sustainedSchedulerBacklogTimeout,
  ],
  ...[shuffleDecommissionEnabled, shuffleServiceEnabled, shuffleTrackingEnabled, storageDecommissionEnabled],
  decommissionEnabled,
];

/**
 * Reports dynamic allocation that the driver rejects at its start.
 *
 * Errors: SUBMIT_ERR_SETTING_VALUE, SUBMIT_ERR_ALLOCATION_LIMIT, SUBMIT_ERR_SHUFFLE_ALLOCATION.
 * Source: Spark ExecutorAllocationManager.validateSettings, SchedulerBackendUtils.getInitialTargetExecutorNumber.
 */
export function allocationIssues(conf: SparkConf): readonly Issue[] {
  const invalid = conf.check(limitEntries);
  if (invalid.length > 0) return invalid;
  if (!conf.get(dynamicAllocationEnabled)) return [];
  const lost = { key: shuffleTrackingEnabled.key, profileKey: shuffleProfile.key };
  return [
    ...countIssues(conf),
    ...rateIssues(conf),
    ...(losesShuffleData(conf) ? [issue("SUBMIT_ERR_SHUFFLE_ALLOCATION", lost)] : []),
  ];
}

function rejectedLimit(conf: SparkConf, { key }: ConfEntry<unknown>, reason: string, remedy: string): Issue {
  return issue("SUBMIT_ERR_ALLOCATION_LIMIT", { key, value: conf.text(key) ?? "", reason, remedy });
}

/** Reports numbers of executors that contradict each other. */
function countIssues(conf: SparkConf): readonly Issue[] {
  const min = conf.get(dynamicAllocationMinExecutors);
  const max = conf.get(dynamicAllocationMaxExecutors);
  if (min < 0) return [rejectedLimit(conf, dynamicAllocationMinExecutors, "it is negative", "Set it to 0 or more.")];
  if (max <= 0)
    return [rejectedLimit(conf, dynamicAllocationMaxExecutors, "it is less than 1", "Set it to 1 or more.")];
  if (min > max) {
    const remedy = `Lower it, or raise ${dynamicAllocationMaxExecutors.key}.`;
    return [rejectedLimit(conf, dynamicAllocationMinExecutors, `the maximum is ${max}`, remedy)];
  }
  const initial = initialExecutors(conf);
  if (initial <= max) return [];
  const instances = conf.readOrAbsent(executorInstances);
  const source = instances === initial ? executorInstances : dynamicAllocationInitialExecutors;
  const remedy = `Remove it, or raise ${dynamicAllocationMaxExecutors.key}.`;
  return [rejectedLimit(conf, source, `dynamic allocation starts with it, but the maximum is ${max}`, remedy)];
}

function rateIssues(conf: SparkConf): readonly Issue[] {
  const timeouts = [schedulerBacklogTimeout, sustainedSchedulerBacklogTimeout].filter(
    ({ key }) => conf.text(key) !== undefined,
  );
  const ratio = conf.get(executorAllocationRatio);
  return [
    ...timeouts
      .filter((entry) => conf.get(entry) <= 0)
      .map((entry) =>
        rejectedLimit(
          conf,
          entry,
          "it must be at least one second",
          "Set it to 1s or more: parts of a second do not count.",
        ),
      ),
    ...(ratio > 0 && ratio <= 1
      ? []
      : [
          rejectedLimit(conf, executorAllocationRatio, "it is not more than 0 and at most 1", "Set it to 1.0 or less."),
        ]),
  ];
}

/** Builds warnings about settings that Spark accepts, but with which executors end, stay, take too much, or lose shuffle data. */
export function shuffleWarnings(conf: SparkConf): readonly string[] {
  const profile = conf.readOrAbsent(shuffleProfile);
  const isDynamic = conf.readOrAbsent(dynamicAllocationEnabled);
  return [
    ...(profile === undefined && conf.readOrAbsent(shuffleServiceEnabled) ? serviceWarnings(conf) : []),
    ...(isDynamic ? keepingWarnings(conf, profile) : []),
    ...(executorGrowth(conf) === "unlimited"
      ? [
          `${dynamicAllocationMaxExecutors.key} is not set: the application may take all resources of the cluster, or of its quota. Set it to the number of executors that it may have.`,
        ]
      : []),
    ...(profile === "plugin" && conf.version.line === "3.5" && fetchesClient(conf)
      ? [
          `Executors of Spark 3.5 create the shuffle manager before they fetch ${jars.key} and ${jarsPackages.key}. Build the jar of the client into the image.`,
        ]
      : []),
  ];
}

/** A service is useless for executors whose address and files end with them. */
function serviceWarnings(conf: SparkConf): readonly string[] {
  const key = shuffleServiceEnabled.key;
  const volumes = `${shuffleKeys.executorVolumes}hostPath.`;
  const isPrepared =
    conf.has(podTemplateFile.executor) && conf.settings().some((setting) => setting.key.startsWith(volumes));
  const moves = conf.readOrAbsent(decommissionEnabled) && conf.readOrAbsent(storageDecommissionEnabled);
  return [
    ...(isPrepared
      ? []
      : [
          `${key} is true: each executor registers with a shuffle service at its own address, and ends if there is none. Set ${shuffleProfile.key}=service for the shuffle service of Firesteel, or ${shuffleProfile.key}=tracking to need none.`,
        ]),
    ...(moves
      ? [
          `${storageDecommissionEnabled.key} is true, so executors move files that the shuffle service serves. Remove it, or set ${shuffleProfile.key}=decommission to need no service.`,
        ]
      : []),
  ];
}

/** Builds warnings about dynamic allocation whose executors stay because of their shuffle data, or end without moving it. */
function keepingWarnings(conf: SparkConf, profile: ShuffleProfile | undefined): readonly string[] {
  if (decommissionsWithoutMoving(conf)) {
    return [
      `${decommissionEnabled.key} is true, but executors that dynamic allocation removes do not move their shuffle data. Set ${shuffleProfile.key}=decommission.`,
    ];
  }
  if (!conf.readOrAbsent(shuffleTrackingEnabled) || conf.readOrAbsent(shuffleServiceEnabled)) return [];
  if (profile === "decommission" || profile === "plugin") {
    return [
      `${shuffleTrackingEnabled.key} is true, so idle executors stay although ${shuffleProfile.key}=${profile} keeps their shuffle data. Remove it.`,
    ];
  }
  const tracking = profile === undefined ? shuffleTrackingEnabled.key : `${shuffleProfile.key}=${profile}`;
  const isDefault = profile === undefined && !conf.has(shuffleTrackingEnabled);
  const cause = isDefault
    ? `${tracking} is true by default`
    : profile === undefined
      ? `${tracking} is true`
      : `of ${tracking}`;
  if (conf.readOrAbsent(decommissionEnabled) && conf.readOrAbsent(storageDecommissionEnabled)) {
    return [
      `${decommissionEnabled.key} is true, but idle executors with shuffle data stay, because ${cause}. Set ${shuffleProfile.key}=decommission to move it.`,
    ];
  }
  return hasPlugin(conf)
    ? [
        `${shuffleIoPlugin.key} is set, but idle executors with shuffle data stay, because ${cause}. Set ${shuffleProfile.key}=plugin to remove them.`,
      ]
    : [];
}

/** Whether executors would fetch the client of a shuffle plugin. */
function fetchesClient(conf: SparkConf): boolean {
  const usesClient = shufflePlugins.some(({ manager }) => manager === conf.text(shuffleKeys.manager));
  const names = [jars.key, jarsPackages.key].flatMap((key) => splitList(conf.text(key) ?? ""));
  return usesClient && names.some((name) => /celeborn|uniffle|rss-client/i.test(name));
}
