import type { JobSpec } from "kubernetes-types/batch/v1.d.ts";
import { isSame } from "../../json.ts";
import type { Draft } from "../../object.ts";
import { selectorOf } from "../../selectors/object-selector.ts";
import { type FieldError, invalidValue, notSupported, required } from "../../validation/field-error.ts";
import { validateLabels } from "../../validation/metadata.ts";
import { validatePodSpec } from "../../validation/pod/pod-spec.ts";
import { negativeCounts } from "../../validation/status-counts.ts";
import type { Rules } from "../rules.ts";
import { fillTemplate, fixedSelector, negativeErrors, warnOfSet } from "./template.ts";

type JobObject = Draft & { spec: JobSpec & { podReplacementPolicy?: string }; status: object };

const uidLabel = "batch.kubernetes.io/controller-uid";

/** The rules of Jobs. The server generates labels and selector from the job's uid. */
export const jobRules: Rules<JobObject> = {
  validateStatus: ({ status }) => negativeCounts(status, ["active", "succeeded", "failed"]),
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
      [uidLabel]: uid,
      "batch.kubernetes.io/job-name": name,
      "controller-uid": uid,
      "job-name": name,
    };
    const template = { ...job.spec.template.metadata };
    template.labels = { ...template.labels, ...own };
    job.spec.template.metadata = template;
    job.metadata.labels = { ...job.metadata.labels, ...own };
    const { selector } = job.spec;
    job.spec.selector = { ...selector, matchLabels: { ...selector?.matchLabels, [uidLabel]: uid } };
  },
  validate: ({ spec, metadata }) => [...numberErrors(spec), ...choiceErrors(spec), ...podErrors(spec, metadata.uid)],
  validateUpdate: ({ spec }, old) => [
    ...numberErrors(spec),
    ...(isSame(spec.completions, old.spec.completions) || spec.completionMode === "Indexed"
      ? []
      : [invalidValue("spec.completions", spec.completions ?? null, "field is immutable")]),
    ...fixedSelector(spec.selector, old.spec.selector),
    ...(isSame(spec.template, old.spec.template) || old.spec.suspend === true
      ? []
      : [invalidValue("spec.template", spec.template, "field is immutable")]),
  ],
  showsDeleted: true,
  warn: ({ metadata, spec }) => warnOfSet(metadata.name ?? "", spec),
  selectable: { "status.successful": ({ status }) => String("succeeded" in status ? status.succeeded : 0) },
};

function numberErrors(spec: JobSpec): FieldError[] {
  return negativeErrors({
    "spec.parallelism": spec.parallelism,
    "spec.completions": spec.completions,
    "spec.activeDeadlineSeconds": spec.activeDeadlineSeconds,
    "spec.backoffLimit": spec.backoffLimit,
    "spec.ttlSecondsAfterFinished": spec.ttlSecondsAfterFinished,
  });
}

function choiceErrors({
  completionMode = "",
  completions,
  podReplacementPolicy = "",
}: JobObject["spec"]): FieldError[] {
  const modes = ["NonIndexed", "Indexed"];
  const policies = ["Failed", "TerminatingOrFailed"];
  return [
    ...(modes.includes(completionMode) ? [] : [notSupported("spec.completionMode", completionMode, modes)]),
    ...(completionMode === "Indexed" && completions === undefined
      ? [required("spec.completions", "when completion mode is Indexed")]
      : []),
    ...(policies.includes(podReplacementPolicy)
      ? []
      : [notSupported("spec.podReplacementPolicy", podReplacementPolicy, policies)]),
  ];
}

function podErrors({ selector, manualSelector, template }: JobSpec, uid: string | undefined): FieldError[] {
  const labels = template.metadata?.labels;
  const isOwn = manualSelector === true || isSame(selector, { matchLabels: { [uidLabel]: uid } });
  const isMatched = selector !== undefined && selectorOf(selector)(labels);
  const { restartPolicy = "" } = template.spec ?? { containers: [] };
  const policies = ["OnFailure", "Never"];
  const field = "spec.template.spec";
  return [
    ...(selector === undefined ? [required("spec.selector")] : []),
    ...(isOwn ? [] : [invalidValue("spec.selector", selector, "`selector` not auto-generated")]),
    ...(isMatched
      ? []
      : [invalidValue("spec.template.metadata.labels", labels ?? null, "`selector` does not match template `labels`")]),
    ...validateLabels(labels, "spec.template.labels"),
    ...validatePodSpec(template.spec ?? { containers: [] }, field),
    ...(restartPolicy === "" || restartPolicy === "Always"
      ? [required(`${field}.restartPolicy`, 'valid values: "OnFailure", "Never"')]
      : policies.includes(restartPolicy)
        ? []
        : [notSupported(`${field}.restartPolicy`, restartPolicy, policies)]),
  ];
}
