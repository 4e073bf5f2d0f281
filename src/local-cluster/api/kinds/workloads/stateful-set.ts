import type { RollingUpdateStatefulSetStrategy, StatefulSetSpec } from "kubernetes-types/apps/v1.d.ts";
import type { PodTemplateSpec } from "../../../../kube/types.ts";
import { isSame } from "../../json.ts";
import type { Draft } from "../../object.ts";
import { type FieldError, forbiddenField, invalidValue, notSupported } from "../../validation/field-error.ts";
import { dnsLabel } from "../../validation/names.ts";
import { excessiveCounts, negativeCounts } from "../../validation/status-counts.ts";
import { claimErrors } from "../../validation/volume.ts";
import type { Rules } from "../rules.ts";
import {
  fillTemplate,
  negativeErrors,
  restartErrors,
  selectorErrors,
  templateErrors,
  warnOfTemplate,
} from "./template.ts";

type StatefulSetObject = Draft & {
  spec: StatefulSetSpec & {
    persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string; whenScaled?: string };
  };
  status: object;
};

/** Fields of the spec that may change. */
const changeable: readonly string[] = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
];

const statusParts = ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"];

/** The rules of StatefulSets. */
export const statefulSetRules: Rules<StatefulSetObject> = {
  validateStatus: ({ status }) => [
    ...negativeCounts(status, ["replicas", ...statusParts, "observedGeneration", "collisionCount"]),
    ...excessiveCounts(status, { parts: statusParts, readyName: "status.readyReplicas" }),
  ],
  name: dnsLabel,
  hasStatus: true,
  generation: "spec",
  fill({ spec }) {
    spec.podManagementPolicy ??= "OrderedReady";
    spec.updateStrategy ??= {};
    if ((spec.updateStrategy.type ?? "") === "") {
      spec.updateStrategy.type = "RollingUpdate";
      spec.updateStrategy.rollingUpdate ??= {};
    }
    const { type, rollingUpdate } = spec.updateStrategy;
    if (type === "RollingUpdate" && rollingUpdate !== undefined) rollingUpdate.partition ??= 0;
    spec.persistentVolumeClaimRetentionPolicy = {
      whenDeleted: "Retain",
      whenScaled: "Retain",
      ...spec.persistentVolumeClaimRetentionPolicy,
    };
    spec.replicas ??= 1;
    spec.revisionHistoryLimit ??= 10;
    fillTemplate(spec);
    for (const claim of spec.volumeClaimTemplates ?? []) {
      claim.apiVersion ??= "v1";
      claim.kind ??= "PersistentVolumeClaim";
      if (claim.spec) claim.spec.volumeMode ??= "Filesystem";
      Object.assign(claim, { status: { phase: "Pending", ...claim.status } });
    }
  },
  prepare(set) {
    set.status = { replicas: 0, availableReplicas: 0 };
  },
  validate: ({ spec }) => specErrors(spec),
  validateUpdate(set, old) {
    const names = changeable.map((field) => `'${field}'`);
    const text = `updates to statefulset spec for fields other than ${names.slice(0, -1).join(", ")} and ${names.at(-1)} are forbidden`;
    const isFixed = isSame(fixedPart(set.spec), fixedPart(old.spec));
    return [...specErrors(set.spec), ...(isFixed ? [] : [forbiddenField("spec", text)])];
  },
  warn: ({ spec }) => [
    ...warnOfTemplate(spec),
    ...((spec.revisionHistoryLimit ?? 0) < 0
      ? ["spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"]
      : []),
  ],
};

function fixedPart(spec: object): object {
  return Object.fromEntries(Object.entries(spec).filter(([name]) => !changeable.includes(name)));
}

function specErrors(spec: StatefulSetObject["spec"]): FieldError[] {
  const { podManagementPolicy = "", serviceName = "" } = spec;
  return [
    ...(["OrderedReady", "Parallel"].includes(podManagementPolicy)
      ? []
      : [invalidValue("spec.podManagementPolicy", podManagementPolicy, "must be 'OrderedReady' or 'Parallel'")]),
    ...strategyErrors(spec),
    ...retentionErrors(spec),
    ...negativeErrors({
      "spec.replicas": spec.replicas,
      "spec.minReadySeconds": spec.minReadySeconds,
      "spec.ordinals.start": spec.ordinals?.start,
    }),
    ...selectorErrors(spec, { empty: "empty selector is invalid for statefulset", unreadable: "" }),
    ...(spec.volumeClaimTemplates ?? []).flatMap((claim, index) =>
      claimErrors(claim.spec ?? {}, `spec.volumeClaimTemplates[${index}].spec`),
    ),
    ...templateErrors({ ...spec, template: podTemplate(spec) }),
    ...restartErrors(spec, "StatefulSet"),
    ...(serviceName === ""
      ? []
      : dnsLabel(serviceName).map((fault) => invalidValue("spec.serviceName", serviceName, fault))),
  ];
}

/** Returns the template that pods get: the server sets their hostname and claim volumes. */
function podTemplate({ template, volumeClaimTemplates = [] }: StatefulSetSpec): PodTemplateSpec {
  const { hostname: _, volumes = [], ...rest } = template?.spec ?? { containers: [] };
  const claims = volumeClaimTemplates.map(({ metadata }) => {
    const name = metadata?.name ?? "";
    return { name, persistentVolumeClaim: { claimName: name } };
  });
  const names = new Set(claims.map(({ name }) => name));
  const others = volumes.filter(({ name }) => !names.has(name));
  return { ...template, spec: { ...rest, volumes: [...claims, ...others] } };
}

function strategyErrors({ updateStrategy = {} }: StatefulSetSpec): FieldError[] {
  const { type = "", rollingUpdate } = updateStrategy;
  const field = "spec.updateStrategy";
  switch (type) {
    case "RollingUpdate":
      return negativeErrors({ [`${field}.rollingUpdate.partition`]: rollingUpdate?.partition });
    case "OnDelete": {
      if (rollingUpdate === undefined) return [];
      const shown = {
        Partition: rollingUpdate.partition ?? 0,
        MaxUnavailable: rollingUpdate.maxUnavailable ?? null,
      };
      return [invalidValue(`${field}.rollingUpdate`, shown, "only allowed for updateStrategy 'RollingUpdate'")];
    }
    default: {
      const shown = {
        Type: type,
        RollingUpdate: rollingUpdate === undefined ? null : shownUpdate(rollingUpdate),
      };
      return [invalidValue(field, shown, "must be 'RollingUpdate' or 'OnDelete'")];
    }
  }
}

function shownUpdate({ partition = 0, maxUnavailable }: RollingUpdateStatefulSetStrategy): object {
  return { Partition: partition, MaxUnavailable: maxUnavailable ?? null };
}

function retentionErrors({ persistentVolumeClaimRetentionPolicy = {} }: StatefulSetObject["spec"]): FieldError[] {
  const policies = ["Retain", "Delete"];
  return Object.entries(persistentVolumeClaimRetentionPolicy)
    .filter(([, policy]) => !policies.includes(policy))
    .map(([when, policy]) => notSupported(`spec.persistentVolumeClaimRetentionPolicy.${when}`, policy, policies));
}
