import type { Rule } from "../rule.ts";
import { anyExceptionRules, ownExceptionRules } from "./application.ts";
import { driverLogRules } from "./driver-log.ts";
import { executorRules } from "./executors.ts";
import { imageRules, slowImageRules } from "./image.ts";
import { initContainerRules } from "./init-containers.ts";
import { missingNodeRules, noEventRules } from "./no-event-rules.ts";
import { objectRules } from "./objects.ts";
import { rejectionRules } from "./rejection.ts";
import { removalRules } from "./removal.ts";
import { resolvedRules } from "./resolved.ts";
import { exitStatusRules, killedRules, lingeringRules } from "./run.ts";
import { schedulingRules } from "./scheduling.ts";
import { sidecarRules } from "./sidecars.ts";
import { startRules } from "./start.ts";
import { claimRules, mountRules } from "./volumes.ts";
import { writtenFileRules } from "./written-files.ts";

/** Rules for one phase of a driver. */
interface RuleGroup {
  /** Heading of the group. */
  readonly title: string;
  readonly rules: readonly Rule[];
}

const titles = {
  rejection: "The API rejects the submission",
  scheduling: "No node can run the driver",
  start: "The driver's containers do not start",
  image: "The image is not available",
  run: "The driver failed, or does not end",
  executors: "The driver runs, and its executors do not",
  removal: "A user or the cluster ended the driver",
  files: "The application writes files that are lost",
  sidecars: "Containers beside the driver",
};

/**
 * All rules by group; the first finding applies. Decisive evidence comes before likely evidence: the API's own rejection, pod
 * removal, messages of the kubelet, logs, exit statuses, missing events, and resolved problems.
 */
export const ruleGroups: readonly RuleGroup[] = [
  { title: titles.rejection, rules: rejectionRules },
  { title: titles.scheduling, rules: missingNodeRules },
  { title: titles.removal, rules: removalRules },
  { title: titles.run, rules: killedRules },
  { title: titles.scheduling, rules: [...claimRules, ...schedulingRules] },
  { title: titles.start, rules: [...startRules, ...objectRules] },
  { title: titles.image, rules: [...imageRules, ...slowImageRules] },
  { title: titles.start, rules: [...initContainerRules, ...mountRules] },
  { title: titles.run, rules: [...driverLogRules, ...ownExceptionRules] },
  { title: titles.executors, rules: executorRules },
  { title: titles.run, rules: [...anyExceptionRules, ...exitStatusRules, ...lingeringRules] },
  { title: titles.sidecars, rules: sidecarRules },
  { title: titles.files, rules: writtenFileRules },
  { title: titles.scheduling, rules: noEventRules },
];

/** All rules in the order of their evaluation. */
export const allRules: readonly Rule[] = [...ruleGroups.flatMap(({ rules }) => rules), ...resolvedRules];
