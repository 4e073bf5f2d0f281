import type { CustomResourceDefinitionNames } from "kubernetes-types/apiextensions/v1.d.ts";
import { isSame } from "../json.ts";
import type { Definition } from "./definition.ts";

/** The names of a definition that no other definition of its group has. */
export interface AcceptedNames {
  readonly names: CustomResourceDefinitionNames;
  /** The last conflict; `undefined` if all names are accepted. */
  readonly conflict: { readonly reason: string; readonly message: string } | undefined;
}

/**
 * Accepts the requested names that no other definition of the group has.
 *
 * Source: apiextensions-apiserver 1.35, pkg/controller/status.
 */
export function acceptNames({ spec, status }: Definition, group: readonly Definition[]): AcceptedNames {
  const accepted = group.flatMap((definition) => definition.status?.acceptedNames ?? []);
  const resources = new Set(
    accepted.flatMap(({ plural, singular = "", shortNames = [] }) => [plural, singular, ...shortNames]),
  );
  const kinds = new Set(accepted.flatMap(({ kind, listKind = "" }) => [kind, listKind]));
  const current: CustomResourceDefinitionNames = status?.acceptedNames ?? { plural: "", kind: "" };
  const names = { ...current };
  let conflict: AcceptedNames["conflict"];
  for (const [field, used] of [
    ["plural", resources],
    ["singular", resources],
    ["kind", kinds],
    ["listKind", kinds],
  ] as const) {
    const requested = spec.names[field] ?? "";
    const isTaken = requested !== (current[field] ?? "") && used.has(requested);
    if (isTaken) {
      const reason = `${field.charAt(0).toUpperCase()}${field.slice(1)}Conflict`;
      conflict = { reason, message: inUse([requested]) };
    } else names[field] = requested;
    if (field === "singular") conflict = acceptShortNames(names, { spec, current, resources }) ?? conflict;
  }
  const { categories: _, ...others } = names;
  const { categories = [] } = spec.names;
  return { names: categories.length === 0 ? others : { ...others, categories }, conflict };
}

interface ShortNameRequest {
  readonly spec: Definition["spec"];
  readonly current: CustomResourceDefinitionNames;
  readonly resources: ReadonlySet<string>;
}

/** Accepts all requested short names, or returns the conflict. */
function acceptShortNames(
  names: CustomResourceDefinitionNames,
  { spec, current, resources }: ShortNameRequest,
): AcceptedNames["conflict"] {
  const { shortNames = [] } = spec.names;
  const own = current.shortNames ?? [];
  if (isSame(shortNames, own)) return undefined;
  const taken = shortNames.filter((name) => !own.includes(name) && resources.has(name));
  if (taken.length > 0) return { reason: "ShortNamesConflict", message: inUse(taken) };
  if (shortNames.length === 0) delete names.shortNames;
  else names.shortNames = [...shortNames];
  return undefined;
}

function inUse(names: readonly string[]): string {
  const texts = names.map((name) => `${JSON.stringify(name)} is already in use`);
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}
