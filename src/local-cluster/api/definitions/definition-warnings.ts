import { goQuoted } from "../../../values/go-quoted.ts";
import type { Draft } from "../object.ts";
import { knownFormat } from "../structural/formats.ts";
import { schemasIn } from "../structural/schema.ts";
import type { Definition } from "./definition.ts";

/** Returns the warnings about a new or changed definition: formats and rules that are not checked. */
export function definitionWarnings(definition: Definition, old: Definition | undefined): string[] {
  const known = old === undefined ? [] : unknownFormats(old);
  const added = unknownFormats(definition).filter((format) => !known.includes(format));
  return [...added.map((format) => `unrecognized format ${goQuoted(format)}`), ...ruleWarnings(definition)];
}

function unknownFormats({ spec }: Pick<Definition, "spec">): readonly string[] {
  const schemas = spec.versions.flatMap(({ schema }) => schemasIn(schema?.openAPIV3Schema ?? {}));
  return schemas.flatMap(({ type, format = "" }) =>
    type !== "string" || format === "" || knownFormat(format) !== undefined ? [] : [format],
  );
}

function ruleWarnings({ spec }: Draft & Pick<Definition, "spec">): string[] {
  return spec.versions.flatMap(({ name, schema }) => {
    const hasRules = schemasIn(schema?.openAPIV3Schema ?? {}).some(
      (part) => part["x-kubernetes-validations"] !== undefined,
    );
    return hasRules
      ? [`x-kubernetes-validations of version ${name} are stored, but this API does not evaluate them`]
      : [];
  });
}
