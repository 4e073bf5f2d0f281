import { RE2JS, RE2JSException } from "re2js";

/** A schema, or the part of it that has a pattern. */
interface PatternSchema {
  readonly pattern?: string;
}

/** Compiled patterns by the schema that has them, for as long as a definition has the schema. */
const compiled = new WeakMap<PatternSchema, RE2JS | RE2JSException>();

/** Returns Go's message about a pattern that does not have the syntax of its regular expressions, RE2. */
export function patternFault(pattern: string): string | undefined {
  const result = compile(pattern);
  return result instanceof RE2JSException ? result.message : undefined;
}

/**
 * Whether a text contains a match of a schema's pattern, in a time proportional to the text.
 *
 * A pattern that cannot be compiled, which an earlier release has accepted, matches every text.
 */
export function isMatch(schema: PatternSchema, text: string): boolean {
  const known = compiled.get(schema) ?? compile(schema.pattern ?? "");
  compiled.set(schema, known);
  return known instanceof RE2JSException || known.test(text);
}

function compile(pattern: string): RE2JS | RE2JSException {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSException) return error;
    throw error;
  }
}
