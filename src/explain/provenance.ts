import { podTemplateFile } from "../conf/entries/driver.ts";
import { traitsOf } from "../conf/spark-version.ts";
import type { Contribution } from "../features/step.ts";
import type { PodConf } from "../plan/driver-conf.ts";
import { propertiesFile } from "../plan/driver-properties.ts";
import type { PodTemplate } from "../plan/pod-template.ts";
import type { StepPart } from "../spec/contributions.ts";
import { buildPod } from "../spec/pod-template.ts";
import type { Cause } from "./cause.ts";
import { nameOfCause } from "./cause.ts";
import { type Field, fieldsOf } from "./fields.ts";
import { isSame, type LeafValue, leavesOf } from "./leaves.ts";
import type { Read, Recorder } from "./recorder.ts";
import { type Part, type SubmissionObjects, toResource } from "./submission-objects.ts";

/** Steps that set a field, and the inputs on which it depends. */
interface Provenance {
  readonly steps: Set<string>;
  readonly causes: Map<string, Cause>;
}

/** Provenance of the fields of a submission, by their IDs. */
export interface ProvenanceRecord {
  readonly built: SubmissionObjects;
  readonly fields: ReadonlyMap<string, Field>;
  readonly found: Map<string, Provenance>;
}

/** Role whose pod a contribution is for. */
type RolePart = Extract<Part, "driver" | "executor">;

/** Steps, and the plan that they read. */
interface StepsInput<P extends PodConf> {
  readonly parts: readonly StepPart<P>[];
  readonly plan: P;
  /** Copy of the plan that notes what is read. */
  readonly observed: P;
  readonly recorder: Recorder;
}

/** Computes the parts of steps on an observed plan and adds what each field depends on. */
export function addSteps<P extends PodConf>(
  record: ProvenanceRecord,
  { parts, plan, observed, recorder }: StepsInput<P>,
): void {
  for (const { step, part } of parts) {
    const { value, reads } = recorder.record(() => plainCopy(part(observed)));
    const own = ownFields(record, plan.role, value);
    if (own.size === 0) continue;
    addOwnFields(record, own, { step, reads: reads.filter(({ cause }) => cause.kind !== "release") });
    for (const cause of releaseCauses(reads)) {
      const before = part({ ...plan, traits: traitsOf(cause.before) });
      addRelease(record, own, { cause, before: ownFields(record, plan.role, before) });
    }
  }
}

type ReleaseCause = Extract<Cause, { kind: "release" }>;

/** Returns one cause for each older line that differs in a trait. */
function releaseCauses(reads: readonly Read[]): Iterable<ReleaseCause> {
  return new Map(
    reads.flatMap(({ cause }): [string, ReleaseCause][] => (cause.kind === "release" ? [[cause.before, cause]] : [])),
  ).values();
}

/** Adds a difference between lines to the fields that the part sets differently for the older line. */
function addRelease(
  record: ProvenanceRecord,
  own: ReadonlyMap<string, LeafValue>,
  { cause, before }: { readonly cause: ReleaseCause; readonly before: ReadonlyMap<string, LeafValue> },
): void {
  for (const [id, value] of own) {
    const provenance = record.found.get(id);
    if (provenance !== undefined && !isSame(before.get(id), value)) addCause(provenance, cause);
  }
}

/** Copies plain data, so that values of observed plans are read inside of the recording. */
function plainCopy<T>(value: T): T;
function plainCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => plainCopy(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainCopy(item)]));
}

/** Adds the step and the reads to the fields that a contribution sets. */
export function addContribution(
  record: ProvenanceRecord,
  {
    step,
    role,
    contribution,
    reads,
  }: {
    readonly step: string;
    readonly role: RolePart;
    readonly contribution: Contribution;
    readonly reads: readonly Read[];
  },
): void {
  addOwnFields(record, ownFields(record, role, contribution), { step, reads });
}

function addOwnFields(
  record: ProvenanceRecord,
  own: ReadonlyMap<string, LeafValue>,
  { step, reads }: { readonly step: string; readonly reads: readonly Read[] },
): void {
  const kept = new Set([...own].flatMap(([id, value]) => (isKept(record, id, value) ? [id] : [])));
  for (const id of kept) provenanceOf(record, id).steps.add(step);
  for (const read of reads) {
    for (const id of dependentFields(read, own)) if (kept.has(id)) addCause(provenanceOf(record, id), read.cause);
  }
}

/** Whether the submission has a field with this value. */
function isKept({ fields }: ProvenanceRecord, id: string, value: LeafValue): boolean {
  const field = fields.get(id);
  return field !== undefined && isSame(field.value, value);
}

/** Adds the fields that come from the pod template. */
export function addTemplate(record: ProvenanceRecord, plan: PodConf): void {
  const { template, role, conf } = plan;
  if (template === undefined) return;
  const setting = conf.find(podTemplateFile[role]);
  if (setting === undefined) return;
  for (const [id, value] of podFields(role, template, {})) {
    if (!isKept(record, id, value) || record.found.has(id)) continue;
    addCause(provenanceOf(record, id), { kind: "setting", ...setting });
  }
}

/** Adds reads to one field. */
export function addReads(record: ProvenanceRecord, id: string, reads: readonly Read[]): void {
  const field = record.fields.get(id);
  if (field === undefined) return;
  const fields = new Map([[id, field.value]]);
  for (const read of reads) {
    for (const dependent of dependentFields(read, fields)) addCause(provenanceOf(record, dependent), read.cause);
  }
}

function provenanceOf({ found }: ProvenanceRecord, id: string): Provenance {
  const known = found.get(id) ?? { steps: new Set(), causes: new Map() };
  found.set(id, known);
  return known;
}

function addCause({ causes }: Provenance, cause: Cause): void {
  causes.set(`${cause.kind} ${nameOfCause(cause)}`, cause);
}

/** Returns the fields of all objects that a contribution alone would make, and their values. */
function ownFields(
  record: ProvenanceRecord,
  role: RolePart,
  contribution: Contribution,
): ReadonlyMap<string, LeafValue> {
  const { preResources = [], resources = [], properties = {}, ...pod } = contribution;
  const objects = [...preResources, ...resources].map((object) => ({ part: "resource" as const, object }));
  return new Map([
    ...(Object.keys(pod).length === 0 ? [] : podFields(role, undefined, pod)),
    ...[...fieldsOf({ ...record.built, objects })].map(([id, { value }]): [string, LeafValue] => [id, value]),
    ...Object.entries(properties).map(([key, value]): [string, LeafValue] => [propertyId(key), value]),
  ]);
}

/** Returns the ID of the field of a property in the driver's ConfigMap. */
export function propertyId(key: string): string {
  return `ConfigMap/conf-map data[${propertiesFile}][${key}]`;
}

const nothing = { podName: "", namespace: "" };
const fieldsWithoutContribution: ReadonlyMap<string, LeafValue> = new Map(
  leavesOf(toResource(buildPod(undefined, {}, nothing))).map(({ id, value }) => [id, value]),
);

/** Returns the fields of a pod that only the template and the contribution set, and their values. */
function podFields(
  role: RolePart,
  template: PodTemplate | undefined,
  contribution: Contribution,
): ReadonlyMap<string, LeafValue> {
  return new Map(
    leavesOf(toResource(buildPod(template, contribution, nothing)))
      .filter(({ id, value }) => !isSame(fieldsWithoutContribution.get(id), value))
      .map(({ id, value }) => [`${role} ${id}`, value]),
  );
}

/**
 * Returns the IDs of the fields that depend on an input that their part read. If the part copied the input's text into some of its
 * fields, only these depend on it. Otherwise all do, unless the part may ignore the input.
 */
function dependentFields(read: Read, fields: ReadonlyMap<string, LeafValue>): readonly string[] {
  const copies = [...fields].flatMap(([id, value]) => (contains(read, id, value) ? [id] : []));
  return copies.length > 0 || read.isOptional ? copies : [...fields.keys()];
}

function contains({ texts, names }: Read, id: string, value: LeafValue): boolean {
  const text = typeof value === "object" ? "" : String(value);
  return texts.some((candidate) => hasToken(text, candidate)) || names.some((name) => isNamed(id, name, text));
}

/** Whether a name is in brackets in a path, alone or with a suffix, is a field of it, or is the value. */
function isNamed(id: string, name: string, text: string): boolean {
  if (text === name) return true;
  if (!id.includes(name)) return false;
  return [`[${name}]`, `[${name}-`, `-D${name}]`].some((part) => id.includes(part)) || id.endsWith(`.${name}`);
}

/** Whether a text contains another one, not as a part of a word. */
function hasToken(text: string, token: string): boolean {
  if (text === token) return true;
  for (let at = text.indexOf(token); at >= 0; at = text.indexOf(token, at + 1)) {
    const before = text[at - 1] ?? "";
    const after = text[at + token.length] ?? "";
    if (!/[A-Za-z0-9]/.test(before) && !/[A-Za-z0-9]/.test(after)) return true;
  }
  return false;
}
