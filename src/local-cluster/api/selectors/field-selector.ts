import { goQuoted } from "../../../values/go-quoted.ts";
import type { Draft } from "../object.ts";
import { SelectorError } from "./label-selector.ts";

/** A parsed field selector. */
export interface FieldSelector {
  readonly matches: (object: Draft) => boolean;
  /** The only name that can match, if the selector requires one. */
  readonly name: string | undefined;
}

/** Fields of a kind besides name and namespace that a selector can use. */
export interface SelectableFields {
  readonly selectable?: Readonly<Record<string, (object: Draft) => string>>;
  /** Kubernetes' text for a field that cannot be selected. @default a general text */
  readonly unknownField?: (field: string) => string | undefined;
  /** Whether `metadata.namespace` can be selected. @default true */
  readonly isNamespaced?: boolean;
}

/**
 * Parses a field selector such as `status.phase=Running,spec.nodeName!=`.
 *
 * @throws SelectorError with Kubernetes' text
 */
export function parseFieldSelector(text: string, fields: SelectableFields): FieldSelector {
  const terms = text
    .split(/(?<!\\),/)
    // A term without a field and a value restricts nothing.
    .filter((term) => !["", "=", "==", "!="].includes(term))
    .map((term) => parseTerm(term, text, fields));
  return {
    matches: (object) => terms.every(({ read, value, isEqual }) => (read(object) === value) === isEqual),
    name: terms.find(({ field, isEqual }) => field === "metadata.name" && isEqual)?.value,
  };
}

interface Term {
  readonly field: string;
  readonly read: (object: Draft) => string;
  readonly value: string;
  readonly isEqual: boolean;
}

function parseTerm(term: string, selector: string, fields: SelectableFields): Term {
  const [, field, operator, value = ""] = /^(.*?)(!=|==|=)(.*)$/s.exec(term) ?? [];
  if (field === undefined || operator === undefined) {
    throw new SelectorError(`invalid selector: '${selector}'; can't understand '${term}'`);
  }
  const stray = /\\([^\\,=]|$)/.exec(value.replace(/\\[\\,=]/g, ""));
  if (stray !== null) throw new SelectorError(`invalid field selector: invalid escape sequence: ${stray[0]}`);
  const read = reader(field, fields);
  if (read === undefined) {
    const custom = fields.unknownField?.(field);
    const known = 'only "metadata.name", "metadata.namespace"';
    throw new SelectorError(custom ?? `${goQuoted(field)} is not a known field selector: ${known}`);
  }
  return { field, read, value: value.replace(/\\([\\,=])/g, "$1"), isEqual: operator !== "!=" };
}

function reader(
  field: string,
  { selectable, unknownField, isNamespaced = true }: SelectableFields,
): Term["read"] | undefined {
  switch (field) {
    case "metadata.name":
      return ({ metadata }) => metadata.name ?? "";
    case "metadata.namespace":
      // Kinds without fields of their own accept it, although it is always empty.
      if (!isNamespaced && unknownField !== undefined) return undefined;
      return ({ metadata }) => metadata.namespace ?? "";
    default:
      return selectable?.[field];
  }
}
