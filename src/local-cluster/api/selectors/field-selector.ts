import type { Kind } from "../kinds/kind.ts";
import type { Draft } from "../object.ts";
import { goQuoted } from "../validation/field-error.ts";
import { SelectorError } from "./label-selector.ts";

/** Says whether an object's fields fit. */
export interface FieldSelector {
  readonly matches: (object: Draft) => boolean;
  /** The one name that can fit, when the selector says so. */
  readonly name: string | undefined;
}

/**
 * Reads a field selector, e.g. `status.phase=Running,spec.nodeName!=`, of the fields that a kind lets select.
 *
 * @throws SelectorError in Kubernetes' words
 */
export function parseFieldSelector(text: string, kind: Kind): FieldSelector {
  const terms = text
    .split(/(?<!\\),/)
    // A term without a field and a value restricts nothing.
    .filter((term) => !["", "=", "==", "!="].includes(term))
    .map((term) => parseTerm(term, text, kind));
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

function parseTerm(term: string, whole: string, kind: Kind): Term {
  const [, field, operator, value = ""] = /^(.*?)(!=|==|=)(.*)$/s.exec(term) ?? [];
  if (field === undefined || operator === undefined) {
    throw new SelectorError(`invalid selector: '${whole}'; can't understand '${term}'`);
  }
  const stray = /\\([^\\,=]|$)/.exec(value.replace(/\\[\\,=]/g, ""));
  if (stray !== null) throw new SelectorError(`invalid field selector: invalid escape sequence: ${stray[0]}`);
  const read = reader(field, kind);
  if (read === undefined) {
    const told = kind.rules.unknownField?.(field);
    const known = 'only "metadata.name", "metadata.namespace"';
    throw new SelectorError(told ?? `${goQuoted(field)} is not a known field selector: ${known}`);
  }
  return { field, read, value: value.replace(/\\([\\,=])/g, "$1"), isEqual: operator !== "!=" };
}

function reader(field: string, { rules }: Kind): Term["read"] | undefined {
  switch (field) {
    case "metadata.name":
      return ({ metadata }) => metadata.name ?? "";
    case "metadata.namespace":
      return ({ metadata }) => metadata.namespace ?? "";
    default:
      return rules.selectable?.[field];
  }
}
