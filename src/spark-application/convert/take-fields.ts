import { fieldKeys, optionKeys } from "../../conf/entries/spark-application.ts";
import type { StringMap } from "../../kube/types.ts";
import type { Dependencies, DynamicAllocation } from "../application.ts";
import { present, type SettingsTaker } from "./settings-taker.ts";

/** Takes node selectors: of the application, or if a role has its own, of both roles. */
export function takeSelectors(taker: SettingsTaker): {
  readonly application: StringMap | undefined;
  readonly driver: StringMap | undefined;
  readonly executor: StringMap | undefined;
} {
  const common = taker.takeFamily(fieldKeys.nodeSelector);
  const driver = taker.takeFamily(fieldKeys.driver.nodeSelector);
  const executor = taker.takeFamily(fieldKeys.executor.nodeSelector);
  if (driver === undefined && executor === undefined) return { application: common, driver, executor };
  if (common === undefined) return { application: undefined, driver, executor };
  return { application: undefined, driver: { ...common, ...driver }, executor: { ...common, ...executor } };
}

/** Takes dynamic allocation, if it is enabled. */
export function takeAllocation(taker: SettingsTaker): DynamicAllocation | undefined {
  const { dynamic } = fieldKeys;
  if (taker.takeFlag(dynamic.enabled) !== true) return undefined;
  return {
    enabled: true,
    ...present({
      initialExecutors: taker.takeInteger(dynamic.initialExecutors),
      minExecutors: taker.takeInteger(dynamic.minExecutors),
      maxExecutors: taker.takeInteger(dynamic.maxExecutors),
      shuffleTrackingEnabled: taker.takeFlag(dynamic.shuffleTrackingEnabled),
      shuffleTrackingTimeout: taker.takeInteger(dynamic.shuffleTrackingTimeout),
    }),
  };
}

/** Takes the lists of files and packages. */
export function takeDependencies(taker: SettingsTaker): Dependencies | undefined {
  const { lists } = optionKeys;
  const deps = present({
    jars: taker.takeList(lists.jars),
    files: taker.takeList(lists.files),
    pyFiles: taker.takeList(lists.pyFiles),
    archives: taker.takeList(lists.archives),
    packages: taker.takeList(lists.packages),
    excludePackages: taker.takeList(lists.excludePackages),
    repositories: taker.takeList(lists.repositories),
  });
  return Object.keys(deps).length === 0 ? undefined : deps;
}
