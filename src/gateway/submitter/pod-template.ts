import { type Fields, isFields } from "../../values/fields.ts";
import { isAnnotationKey, isLabelKey, isLabelValue } from "../../values/label-syntax.ts";

/** A template as the text of a pod, or everything that is wrong with it. */
export type ParsedPodTemplate =
  | { readonly ok: true; readonly text: string | undefined }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Parses a PodTemplateSpec. Fields that are `null` are absent, as Go's client sends them.
 *
 * @param name field of the request, for problems
 */
export function parsePodTemplate(name: string, value: unknown): ParsedPodTemplate {
  if (value == null) return { ok: true, text: undefined };
  if (!isFields(value)) return { ok: false, problems: [`${name} must be an object.`] };
  const { metadata, spec } = value;
  const problems = [...metadataProblems(`${name}.metadata`, metadata), ...specProblems(`${name}.spec`, spec)];
  if (problems.length > 0) return { ok: false, problems };
  const pod = { apiVersion: "v1", kind: "Pod", metadata: metadata ?? {}, spec: spec ?? {} };
  return { ok: true, text: JSON.stringify(withoutNulls(pod)) };
}

function metadataProblems(path: string, metadata: unknown): readonly string[] {
  if (metadata == null) return [];
  if (!isFields(metadata)) return [`${path} must be an object.`];
  return [
    ...mapProblems(`${path}.labels`, metadata["labels"], { isKey: isLabelKey, isValue: isLabelValue }),
    ...mapProblems(`${path}.annotations`, metadata["annotations"], { isKey: isAnnotationKey, isValue: () => true }),
    ...listProblems(`${path}.ownerReferences`, metadata["ownerReferences"]),
  ];
}

interface MapRule {
  readonly isKey: (text: string) => boolean;
  readonly isValue: (text: string) => boolean;
}

function mapProblems(path: string, map: unknown, { isKey, isValue }: MapRule): readonly string[] {
  if (map == null) return [];
  if (!isFields(map)) return [`${path} must be an object.`];
  return Object.entries(map).flatMap(([key, value]) => [
    ...(isKey(key) ? [] : [`${path} has the invalid key ${JSON.stringify(key)}.`]),
    ...(typeof value === "string" && isValue(value)
      ? []
      : [`${path} has an invalid value for ${JSON.stringify(key)}.`]),
  ]);
}

const specLists = ["containers", "initContainers", "volumes", "tolerations", "imagePullSecrets"];

function specProblems(path: string, spec: unknown): readonly string[] {
  if (spec == null) return [];
  if (!isFields(spec)) return [`${path} must be an object.`];
  return specLists.flatMap((name) => listProblems(`${path}.${name}`, spec[name]));
}

function listProblems(path: string, list: unknown): readonly string[] {
  return list == null || (Array.isArray(list) && list.every(isFields)) ? [] : [`${path} must be a list of objects.`];
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isFields(value)) return value;
  const kept: Fields = Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => (item === null ? [] : [[name, withoutNulls(item)] as const])),
  );
  return kept;
}
