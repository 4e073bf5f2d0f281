import * as v from "valibot";
import { type BundleEntry, type Digest, entryKinds, isDigest, isEntryName } from "./bundle.ts";

/** A valid value, or all problems of an invalid one, each with its path: `sources[0].port must be a whole number`. */
export type Validated<T> =
  | { readonly value: T; readonly problems?: undefined }
  | { readonly value?: undefined; readonly problems: readonly string[] };

/** Validates a value. The messages of the shape's parts say what is expected: `v.string("a text")`. */
export function validate<T>(shape: v.GenericSchema<unknown, T>, value: unknown): Validated<T> {
  const parsed = v.safeParse(shape, value);
  return parsed.success ? { value: parsed.output } : { problems: parsed.issues.map(printIssue) };
}

function printIssue(issue: v.BaseIssue<unknown>): string {
  const path = (issue.path ?? []).map(({ key }) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  const name = path.replace(/^\./, "") || "it";
  if (issue.expected === "never") return `${name} is unknown`;
  return issue.received === "undefined" ? `${name} is missing` : `${name} must be ${issue.message}`;
}

/** Shape of a text that is not empty. */
export const textShape = v.pipe(v.string("a text"), v.nonEmpty("a text"));

/** Shape of `true` and `false`. */
export const flagShape = v.boolean("true or false");

/** Shape of `sha256:` and 64 hex digits. */
export const digestShape = v.custom<Digest>(
  (value) => typeof value === "string" && isDigest(value),
  "sha256: and 64 hex digits",
);

/** Shape of the name of a staged file. */
export const entryNameShape = v.pipe(
  v.string("a text"),
  v.check(isEntryName, "at most 255 of the characters A-Z a-z 0-9 . _ -"),
);

/** Shape of the kind of a staged file. */
export const entryKindShape = v.picklist(entryKinds, `one of ${entryKinds.join(", ")}`);

/** Returns the shape of an integer in a range. */
export function integerRange(min: number, max = Number.MAX_SAFE_INTEGER) {
  const rule = `a whole number from ${min}${max === Number.MAX_SAFE_INTEGER ? "" : ` to ${max}`}`;
  return v.pipe(v.number(rule), v.safeInteger(rule), v.minValue(min, rule), v.maxValue(max, rule));
}

/** Members of a bundle's entry. */
export const entryMembers = {
  kind: entryKindShape,
  name: entryNameShape,
  digest: digestShape,
  size: integerRange(0),
  executable: flagShape,
};

/** Returns the shape of a list of objects. */
export function listOf<T>(shape: v.GenericSchema<unknown, T>): v.GenericSchema<unknown, T[]> {
  return v.array(shape, "a list");
}

/** Shape of the entries of a bundle. Ignores additional members, which a newer server may send. */
export const bundleEntriesShape: v.GenericSchema<unknown, BundleEntry[]> = listOf(v.object(entryMembers, "an object"));
