import type { Behaviors } from "../conf/behaviors.ts";
import { messageOf } from "../errors/submit-error.ts";
import { printJavaDouble } from "../values/java-number.ts";

/**
 * Parses a template: JSON if the text begins like JSON, else YAML. Empty documents are ignored.
 *
 * @throws Error with the reason why the text is not one document
 */
export async function parseTemplate(text: string, { templateMergeKeys }: ParseOptions): Promise<unknown> {
  if (/^\s*[[{]/.test(text)) return parseJson(text);
  const documents = await parseYaml(text, templateMergeKeys);
  if (documents.length === 0) throw new Error("it is empty");
  const [document = null, ...more] = documents.filter((found) => found !== null);
  if (more.length > 0) throw new Error("it holds several documents");
  return document;
}

/** Behaviors of parsing a template. */
type ParseOptions = Pick<Behaviors, "templateMergeKeys">;

/** Returns the first line of an error's message: a parser appends an excerpt of the file. */
export function reasonOf(error: unknown): string {
  const [reason = ""] = messageOf(error).split("\n");
  return reason;
}

function parseJson(text: string): unknown {
  return JSON.parse(text);
}

/**
 * Parses YAML with the scalars of JSON, and with merge keys (`<<`) if enabled. `0644`, which can be a file mode, `~` and
 * `True` remain text. Numbers with a fraction become text as Java prints them, because in a pod they occur only in
 * environment values and quantities. Integers beyond JavaScript's safe range remain text, too.
 *
 * Source: the Java client library's parser (snakeyaml-engine) with its schema of JSON.
 */
async function parseYaml(text: string, mergeKeys: Behaviors["templateMergeKeys"]): Promise<readonly unknown[]> {
  const { loadAll, ...tags } = await import("js-yaml");
  const { boolJsonTag, defineScalarTag, FAILSAFE_SCHEMA, floatJsonTag, intJsonTag, mergeTag } = tags;
  const nullTag = defineScalarTag(tags.nullCoreTag.tagName, {
    ...tags.nullCoreTag,
    resolve: (source) => (source === "null" || source === "" ? null : tags.NOT_RESOLVED),
  });
  const integerTag = defineScalarTag(intJsonTag.tagName, {
    ...intJsonTag,
    resolve: (source, isExplicit, tagName) => {
      const value = intJsonTag.resolve(source, isExplicit, tagName);
      return typeof value === "number" && !Number.isSafeInteger(value) ? source : value;
    },
  });
  const fractionTag = defineScalarTag(floatJsonTag.tagName, {
    ...floatJsonTag,
    implicitFirstChars: [...(floatJsonTag.implicitFirstChars ?? []), "."],
    resolve: (source, isExplicit, tagName) => {
      const value = floatJsonTag.resolve(source, isExplicit, tagName);
      return typeof value === "number" ? printJavaDouble(value) : (nonFinite[source] ?? value);
    },
  });
  const scalars = FAILSAFE_SCHEMA.withTags(nullTag, boolJsonTag, integerTag, fractionTag);
  return loadAll(text, { schema: mergeKeys === "merged" ? scalars.withTags(mergeTag) : scalars });
}

/** Java's names of YAML's non-finite numbers. */
const nonFinite: Readonly<Record<string, string>> = {
  ".inf": "Infinity",
  "-.inf": "-Infinity",
  ".nan": "NaN",
};
