import type { DeploymentSpec, ReplicaSetSpec, StatefulSetSpec } from "kubernetes-types/apps/v1.d.ts";
import type { JobSpec } from "kubernetes-types/batch/v1.d.ts";
import { isSame } from "../json.ts";
import type { Draft } from "../object.ts";
import { type FieldError, forbiddenField, invalidValue, required } from "../validation/field-error.ts";
import { validateLabels } from "../validation/metadata.ts";
import { validatePodSpec } from "../validation/pod/pod-spec.ts";
import { fillPodSpec } from "./pod-defaults.ts";
import type { Rules } from "./rules.ts";

type StatefulSetObject = Draft & {
  spec: StatefulSetSpec & { persistentVolumeClaimRetentionPolicy?: object };
  status: object;
};
type DeploymentObject = Draft & { spec: DeploymentSpec; status: object };
type ReplicaSetObject = Draft & { spec: ReplicaSetSpec; status: object };
type JobObject = Draft & { spec: JobSpec & { podReplacementPolicy?: string }; status: object };

/** The rules of stateful sets. */
export const statefulSetRules: Rules<StatefulSetObject> = {
  hasStatus: true,
  generation: "spec",
  fill({ spec }) {
    spec.podManagementPolicy ??= "OrderedReady";
    spec.updateStrategy ??= {};
    spec.updateStrategy.type ??= "RollingUpdate";
    if (spec.updateStrategy.type === "RollingUpdate") {
      spec.updateStrategy.rollingUpdate ??= {};
      spec.updateStrategy.rollingUpdate.partition ??= 0;
    }
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
  validate: ({ spec }) => validateWorkload(spec, { replicas: spec.replicas }),
  validateUpdate(set, old) {
    const changeable = ["replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit"];
    const known = [...changeable, "persistentVolumeClaimRetentionPolicy", "minReadySeconds"];
    const names = known.map((field) => `'${field}'`);
    const text = `updates to statefulset spec for fields other than ${names.slice(0, -1).join(", ")} and ${names.at(-1)} are forbidden`;
    const isFixed = isSame(without(set.spec, known), without(old.spec, known));
    return [
      ...(isFixed ? [] : [forbiddenField("spec", text)]),
      ...validateWorkload(set.spec, { replicas: set.spec.replicas }),
    ];
  },
};

/** The rules of deployments. */
export const deploymentRules: Rules<DeploymentObject> = {
  hasStatus: true,
  generation: "spec",
  fill({ spec }) {
    spec.replicas ??= 1;
    spec.strategy ??= {};
    spec.strategy.type ??= "RollingUpdate";
    if (spec.strategy.type === "RollingUpdate") {
      spec.strategy.rollingUpdate ??= {};
      spec.strategy.rollingUpdate.maxUnavailable ??= "25%";
      spec.strategy.rollingUpdate.maxSurge ??= "25%";
    }
    spec.revisionHistoryLimit ??= 10;
    spec.progressDeadlineSeconds ??= 600;
    fillTemplate(spec);
  },
  prepare(deployment) {
    deployment.status = {};
  },
  validate: ({ spec }) => validateWorkload(spec, { replicas: spec.replicas }),
  validateUpdate: ({ spec }, old) => [
    ...fixedSelector(spec.selector, old.spec.selector),
    ...validateWorkload(spec, { replicas: spec.replicas }),
  ],
};

/** The rules of replica sets. */
export const replicaSetRules: Rules<ReplicaSetObject> = {
  hasStatus: true,
  generation: "spec",
  fill({ spec }) {
    spec.replicas ??= 1;
    if (spec.template !== undefined) fillTemplate({ template: spec.template });
  },
  prepare(set) {
    set.status = { replicas: 0 };
  },
  validate: ({ spec }) => validateWorkload(spec, { replicas: spec.replicas }),
  validateUpdate: ({ spec }, old) => [
    ...fixedSelector(spec.selector, old.spec.selector),
    ...validateWorkload(spec, { replicas: spec.replicas }),
  ],
};

/** The rules of jobs: labels and selector are made from the job's own uid. */
export const jobRules: Rules<JobObject> = {
  hasStatus: true,
  generation: "spec",
  fill({ spec, metadata }) {
    if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
    spec.parallelism ??= 1;
    spec.backoffLimit ??= 6;
    spec.completionMode ??= "NonIndexed";
    spec.suspend ??= false;
    spec.manualSelector ??= false;
    spec.podReplacementPolicy ??= "TerminatingOrFailed";
    if (metadata.labels === undefined && spec.template.metadata?.labels !== undefined) {
      metadata.labels = { ...spec.template.metadata.labels };
    }
    fillTemplate(spec);
  },
  prepare(job) {
    job.status = {};
    const { uid = "", name = "" } = job.metadata;
    if (job.spec.manualSelector === true) return;
    const own = {
      "batch.kubernetes.io/controller-uid": uid,
      "batch.kubernetes.io/job-name": name,
      "controller-uid": uid,
      "job-name": name,
    };
    const template = { ...job.spec.template.metadata };
    template.labels = { ...template.labels, ...own };
    job.spec.template.metadata = template;
    job.metadata.labels = { ...job.metadata.labels, ...own };
    job.spec.selector = { matchLabels: { "batch.kubernetes.io/controller-uid": uid } };
  },
  validate: ({ spec }) => [
    ...(["Never", "OnFailure"].includes(spec.template.spec?.restartPolicy ?? "")
      ? []
      : [required("spec.template.spec.restartPolicy", 'valid values: "OnFailure", "Never"')]),
    ...validateTemplate(spec.template),
  ],
  validateUpdate: ({ spec }, old) => [
    ...fixedSelector(spec.selector, old.spec.selector),
    ...(isSame(spec.template, old.spec.template) || old.spec.suspend === true
      ? []
      : [invalidValue("spec.template", spec.template, "field is immutable")]),
  ],
  selectable: { "status.successful": ({ status }) => String("succeeded" in status ? status.succeeded : 0) },
};

function fillTemplate({ template }: { template: NonNullable<DeploymentSpec["template"]> }): void {
  if (template.spec !== undefined) fillPodSpec(template.spec, { isTemplate: true });
}

type Workload = Pick<StatefulSetSpec, "selector"> & { template?: NonNullable<StatefulSetSpec["template"]> };

function validateWorkload(
  { selector, template }: Workload,
  { replicas = 0 }: { replicas: number | undefined },
): FieldError[] {
  const terms = [...Object.keys(selector?.matchLabels ?? {}), ...(selector?.matchExpressions ?? [])];
  const labels = template?.metadata?.labels ?? {};
  const missing = Object.entries(selector?.matchLabels ?? {}).some(([key, value]) => labels[key] !== value);
  return [
    ...(replicas < 0 ? [invalidValue("spec.replicas", replicas, "must be greater than or equal to 0")] : []),
    ...(selector === undefined || selector === null ? [required("spec.selector")] : []),
    ...validateLabels(selector?.matchLabels, "spec.selector.matchLabels"),
    ...(selector && terms.length === 0
      ? [invalidValue("spec.selector", {}, "empty selector is invalid for statefulset")]
      : []),
    ...(missing
      ? [invalidValue("spec.template.metadata.labels", labels, "`selector` does not match template `labels`")]
      : []),
    ...(template === undefined ? [required("spec.template")] : validateTemplate(template)),
  ];
}

function validateTemplate({ metadata, spec }: NonNullable<StatefulSetSpec["template"]>): FieldError[] {
  return [
    ...validateLabels(metadata?.labels, "spec.template.labels"),
    ...validatePodSpec(spec ?? { containers: [] }, "spec.template.spec"),
  ];
}

function fixedSelector(next: unknown, old: unknown): FieldError[] {
  return isSame(next, old) ? [] : [invalidValue("spec.selector", next, "field is immutable")];
}

function without(spec: object, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(spec).filter(([name]) => !fields.includes(name)));
}
