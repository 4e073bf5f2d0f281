import { jars, jarsPackages } from "../conf/entries/app.ts";
import { decommissionEnabled, podTemplateFile } from "../conf/entries/driver.ts";
import { dynamicAllocationEnabled, dynamicAllocationMaxExecutors } from "../conf/entries/dynamic-allocation.ts";
import {
  shuffleDecommissionEnabled,
  shuffleIoPlugin,
  shuffleServiceEnabled,
  shuffleTrackingEnabled,
  storageDecommissionEnabled,
} from "../conf/entries/shuffle.ts";
import { shuffleProfile } from "../conf/entries/shuffle-profile.ts";
import { shuffleKeys, shufflePlugins } from "../conf/entries/shuffle-profile-settings.ts";
import { splitList } from "../conf/kinds.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { type Issue, issue } from "../errors/issue.ts";

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

/** Reports dynamic allocation that the driver would reject. */
export function allocationIssues(conf: SparkConf): readonly Issue[] {
  if (!losesShuffleData(conf)) return [];
  return [issue("SUBMIT_ERR_SHUFFLE_ALLOCATION", { key: shuffleTrackingEnabled.key, profileKey: shuffleProfile.key })];
}

/** Builds warnings about settings of shuffle data that Spark accepts, but with which executors end, stay, or lose data. */
export function shuffleWarnings(conf: SparkConf): readonly string[] {
  const profile = conf.readOrAbsent(shuffleProfile);
  return [
    ...(profile === undefined && conf.readOrAbsent(shuffleServiceEnabled) ? serviceWarnings(conf) : []),
    ...(decommissionsWithoutMoving(conf)
      ? [
          `${decommissionEnabled.key} is true, but executors that dynamic allocation removes do not move their shuffle data. Set ${shuffleProfile.key}=decommission.`,
        ]
      : []),
    ...(profile === undefined ? [] : profileWarnings(conf, profile)),
  ];
}

/** A service is useless for executors whose address and files end with them. */
function serviceWarnings(conf: SparkConf): readonly string[] {
  const key = shuffleServiceEnabled.key;
  const volumes = `${shuffleKeys.executorVolumes}hostPath.`;
  const isPrepared =
    conf.has(podTemplateFile.executor) && conf.settings().some((setting) => setting.key.startsWith(volumes));
  if (isPrepared) return [];
  return [
    `${key} is true: each executor registers with a shuffle service at its own address, and ends if there is none. Set ${shuffleProfile.key}=service for the shuffle service of Firesteel, or ${shuffleProfile.key}=tracking to need none.`,
  ];
}

function profileWarnings(conf: SparkConf, profile: string): readonly string[] {
  const warnings: string[] = [];
  const tracks = conf.readOrAbsent(shuffleTrackingEnabled);
  if (tracks && (profile === "decommission" || profile === "plugin")) {
    warnings.push(
      `${shuffleTrackingEnabled.key} is true, so idle executors stay although ${shuffleProfile.key}=${profile} keeps their shuffle data. Remove it.`,
    );
  }
  if (profile === "tracking" && conf.readOrAbsent(decommissionEnabled)) {
    warnings.push(
      `${decommissionEnabled.key} is true, but with ${shuffleProfile.key}=tracking, idle executors with shuffle data stay. Use ${shuffleProfile.key}=decommission to move it.`,
    );
  }
  if (conf.readOrAbsent(dynamicAllocationEnabled) && !conf.has(dynamicAllocationMaxExecutors)) {
    warnings.push(
      `${dynamicAllocationMaxExecutors.key} is not set: the application may take all resources of the cluster, or of its quota. Set it to the number of executors that it may have.`,
    );
  }
  if (profile === "plugin" && conf.version.line === "3.5" && fetchesClient(conf)) {
    warnings.push(
      `Executors of Spark 3.5 create the shuffle manager before they fetch ${jars.key} and ${jarsPackages.key}. Build the jar of the client into the image.`,
    );
  }
  return warnings;
}

/** Whether executors would fetch the client of a shuffle plugin. */
function fetchesClient(conf: SparkConf): boolean {
  const usesClient = shufflePlugins.some(({ manager }) => manager === conf.text(shuffleKeys.manager));
  const names = [jars.key, jarsPackages.key].flatMap((key) => splitList(conf.text(key) ?? ""));
  return usesClient && names.some((name) => /celeborn|uniffle|rss-client/i.test(name));
}
