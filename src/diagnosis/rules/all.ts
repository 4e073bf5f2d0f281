import type { Rule } from "../rule.ts";
import { anyExceptionRules, ownExceptionRules } from "./application.ts";
import { driverLogRules } from "./driver-log.ts";
import { executorRules } from "./executors.ts";
import { imageRules, slowImageRules } from "./image.ts";
import { initContainerRules } from "./init-containers.ts";
import { objectRules } from "./objects.ts";
import { passedRules } from "./passed.ts";
import { rejectionRules } from "./rejection.ts";
import { removalRules } from "./removal.ts";
import { exitStatusRules, killedRules, lingeringRules } from "./run.ts";
import { schedulingRules } from "./scheduling.ts";
import { sideCarRules } from "./side-cars.ts";
import { missingNodeRules, silenceRules } from "./silence.ts";
import { startRules } from "./start.ts";
import { claimRules, mountRules } from "./volumes.ts";

/**
 * Every rule; the first that finds something counts. What is decisive comes before what is only likely: the API's own
 * refusal, who removed the pod, what the kubelet says of containers, what logs say, exit statuses, silence, and what has
 * passed.
 */
export const allRules: readonly Rule[] = [
  ...rejectionRules,
  ...missingNodeRules,
  ...removalRules,
  ...killedRules,
  ...claimRules,
  ...schedulingRules,
  ...startRules,
  ...objectRules,
  ...imageRules,
  ...slowImageRules,
  ...initContainerRules,
  ...mountRules,
  ...driverLogRules,
  ...ownExceptionRules,
  ...executorRules,
  ...anyExceptionRules,
  ...exitStatusRules,
  ...lingeringRules,
  ...sideCarRules,
  ...silenceRules,
  ...passedRules,
];
