import type { HorizontalPodAutoscalerSpec, HPAScalingRules } from "kubernetes-types/autoscaling/v2.d.ts";
import type { Draft } from "../../object.ts";
import { autoscalerErrors, type ScalingRules } from "../../validation/autoscaler.ts";
import { negativeCounts } from "../../validation/status-counts.ts";
import type { Rules } from "../rules.ts";
import { withoutRoundTrip } from "./round-trip.ts";

type AutoscalerObject = Draft & { spec: HorizontalPodAutoscalerSpec; status: object };

/** The rules of HorizontalPodAutoscalers, which are stored as `autoscaling/v2`. Nothing measures metrics and scales. */
export const autoscalerRules: Rules<AutoscalerObject> = {
  hasStatus: true,
  fill({ metadata, spec }) {
    const annotations = withoutRoundTrip(metadata.annotations ?? {});
    if (Object.keys(annotations).length > 0) metadata.annotations = annotations;
    else delete metadata.annotations;
    spec.minReplicas ??= 1;
    if ((spec.metrics ?? []).length === 0) spec.metrics = [defaultMetric()];
    if (spec.behavior === undefined) return;
    spec.behavior.scaleUp = { ...defaultScaleUp(), ...spec.behavior.scaleUp };
    spec.behavior.scaleDown = { ...defaultScaleDown(), ...spec.behavior.scaleDown };
  },
  prepare(autoscaler) {
    autoscaler.status = { currentMetrics: null, desiredReplicas: 0 };
  },
  validate: ({ spec }) => autoscalerErrors(spec, undefined),
  validateUpdate: ({ spec }, old) => autoscalerErrors(spec, old.spec),
  validateStatus: ({ status }) => negativeCounts(status, ["currentReplicas", "desiredReplicas"]),
};

/** Source: Kubernetes 1.35, autoscaling/v2 SetDefaults_HorizontalPodAutoscaler. */
function defaultMetric() {
  return {
    type: "Resource",
    resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
  };
}

function defaultScaleUp(): HPAScalingRules {
  return {
    stabilizationWindowSeconds: 0,
    selectPolicy: "Max",
    policies: [
      { type: "Pods", value: 4, periodSeconds: 15 },
      { type: "Percent", value: 100, periodSeconds: 15 },
    ],
  };
}

function defaultScaleDown(): ScalingRules {
  return { selectPolicy: "Max", policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] };
}
