import type { JobSpec, JobStatus } from "kubernetes-types/batch/v1.d.ts";
import { isSame } from "../../json.ts";
import type { Draft } from "../../object.ts";
import { selectorOf } from "../../selectors/object-selector.ts";
import { type FieldError, invalidValue, required } from "../../validation/field-error.ts";
import { expressionErrors } from "../../validation/label-selectors.ts";
import { validateLabels } from "../../validation/metadata.ts";
import { dnsLabel } from "../../validation/names.ts";
import type { Rules } from "../rules.ts";
import { fillJobSpec, jobSpecErrors } from "./job-spec.ts";
import { jobStatusErrors } from "./job-status.ts";
import { warnOfSet } from "./template.ts";

type JobObject = Draft & { spec: JobSpec; status: JobStatus };

const uidLabel = "batch.kubernetes.io/controller-uid";

/** The rules of Jobs. The server generates labels and selector from the job's uid. */
export const jobRules: Rules<JobObject> = {
  validateStatus: jobStatusErrors,
  hasStatus: true,
  generation: "spec",
  fill({ spec, metadata }) {
    const { labels } = spec.template.metadata ?? {};
    // The same object, so `prepare` sees that the client set none.
    if (labels !== undefined && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = labels;
    fillJobSpec(spec);
  },
  prepare(job) {
    job.status = {};
    const { uid = "", name = "" } = job.metadata;
    if (job.spec.manualSelector === true) return;
    const { labels } = job.spec.template.metadata ?? {};
    const all = { ...ownLabels(uid, name), ...labels };
    if (job.metadata.labels === undefined || job.metadata.labels === labels) job.metadata.labels = { ...all };
    job.spec.template.metadata = { ...job.spec.template.metadata, labels: all };
    const { selector } = job.spec;
    job.spec.selector = { ...selector, matchLabels: { [uidLabel]: uid, ...selector?.matchLabels } };
  },
  validate: (job) => jobErrors(job),
  validateUpdate: (job, old) => [...jobErrors(job), ...changeErrors(job, old)],
  showsDeleted: true,
  warn: ({ metadata, spec }) => warnOfSet(metadata.name ?? "", spec),
  selectable: { "status.successful": ({ status }) => String(status.succeeded ?? 0) },
};

function ownLabels(uid: string, name: string): Record<string, string> {
  return {
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": uid,
    "job-name": name,
  };
}

function jobErrors({ spec, metadata }: JobObject): FieldError[] {
  const { name = "", uid = "" } = metadata;
  const { completions = 0, completionMode } = spec;
  const hostname = `${name}-${completions - 1}`;
  const isNameable = completionMode !== "Indexed" || completions <= 0 || dnsLabel(hostname).length === 0;
  return [
    ...generatedErrors(spec, ownLabels(uid, name)),
    ...jobSpecErrors(spec, "spec"),
    ...selectorErrors(spec),
    ...(isNameable
      ? []
      : [invalidValue("metadata.name", name, `will not able to create pod with invalid DNS label: ${hostname}`)]),
  ];
}

/** Returns the errors of labels and selector that the server generates. */
function generatedErrors({ selector, manualSelector, template }: JobSpec, own: Record<string, string>): FieldError[] {
  if (manualSelector === true || selector === undefined) return [];
  const labels = template.metadata?.labels ?? {};
  const names = ["controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name"];
  return [
    ...names.flatMap((name) => {
      const field = `spec.template.metadata.labels[${name}]`;
      const text = `must be '${own[name]}'`;
      if (labels[name] === undefined) return [required(field, text)];
      return labels[name] === own[name] ? [] : [invalidValue(field, labels, text)];
    }),
    ...(selectorOf(selector)(own) ? [] : [invalidValue("spec.selector", selector, "`selector` not auto-generated")]),
  ];
}

function selectorErrors({ selector, template }: JobSpec): FieldError[] {
  const labels = template.metadata?.labels;
  const text = "`selector` does not match template `labels`";
  return [
    ...(selector === undefined
      ? [required("spec.selector")]
      : [
          ...validateLabels(selector.matchLabels, "spec.selector.matchLabels"),
          ...expressionErrors(selector, "spec.selector"),
        ]),
    ...(selector !== undefined && selectorOf(selector)(labels)
      ? []
      : [invalidValue("spec.template.metadata.labels", labels ?? null, text)]),
  ];
}

/** Fields of the spec that never change. */
const fixedFields = [
  "selector",
  "completionMode",
  "podFailurePolicy",
  "backoffLimitPerIndex",
  "managedBy",
  "successPolicy",
] as const;

function changeErrors({ spec }: JobObject, { spec: old, status }: JobObject): FieldError[] {
  const fixed = fixedFields
    .filter((field) => !isSame(spec[field], old[field]))
    .map((field) => invalidValue(`spec.${field}`, spec[field] ?? null, "field is immutable"));
  const isStarted = old.suspend !== true || status.startTime !== undefined;
  const template = isStarted ? old.template : withSchedulingOf(old.template, spec.template);
  return [
    ...completionErrors(spec, old),
    ...(isSame(spec.template, template) ? [] : [invalidValue("spec.template", spec.template, "field is immutable")]),
    ...fixed,
  ];
}

function completionErrors({ completions, completionMode, parallelism }: JobSpec, old: JobSpec): FieldError[] {
  if (isSame(completions, old.completions)) return [];
  if (completionMode !== "Indexed")
    return [invalidValue("spec.completions", completions ?? null, "field is immutable")];
  if (completions === undefined || completions === parallelism) return [];
  return [invalidValue("spec.completions", completions, "can only be modified in tandem with spec.parallelism")];
}

/** Returns a template with the fields of another one that a suspended job may change before its start. */
function withSchedulingOf(template: JobSpec["template"], next: JobSpec["template"]): JobSpec["template"] {
  const { nodeSelector: _, tolerations: __, affinity = {}, ...spec } = template.spec ?? { containers: [] };
  const { labels: _labels, annotations: _annotations, ...metadata } = template.metadata ?? {};
  const { nodeSelector, tolerations, affinity: nextAffinity } = next.spec ?? { containers: [] };
  const { labels, annotations } = next.metadata ?? {};
  const { nodeAffinity: _own, ...otherAffinity } = affinity;
  const nodeAffinity = nextAffinity?.nodeAffinity;
  const merged = { ...otherAffinity, ...(nodeAffinity && { nodeAffinity }) };
  return {
    metadata: { ...metadata, ...(labels && { labels }), ...(annotations && { annotations }) },
    spec: {
      ...spec,
      ...(nodeSelector && { nodeSelector }),
      ...(tolerations && { tolerations }),
      ...(nextAffinity === undefined && Object.keys(otherAffinity).length === 0 ? {} : { affinity: merged }),
    },
  };
}
