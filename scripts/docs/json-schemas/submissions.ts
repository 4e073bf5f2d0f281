import * as v from "valibot";
import { choice, flag, text } from "./fields.ts";

/** Output of `render --output json`: a list that kubectl accepts. */
export const objects = v.strictObject({
  apiVersion: v.literal("v1"),
  kind: v.literal("List"),
  items: v.array(
    v.looseObject({
      apiVersion: text("API group and version"),
      kind: text("Kind of the object"),
      metadata: v.looseObject({ name: text("Name of the object") }),
    }),
  ),
});

const leaf = v.pipe(
  v.union([
    v.string(),
    v.number(),
    v.boolean(),
    v.null(),
    v.pipe(v.array(v.never()), v.maxLength(0)),
    v.strictObject({}),
  ]),
  v.description("Value; secrets are hidden"),
);

const origin = v.variant("kind", [
  v.strictObject({ kind: v.literal("option"), option: text("Option of the command line") }),
  v.strictObject({ kind: v.literal("conf") }),
  v.strictObject({ kind: v.literal("file"), path: text("Path of the properties file") }),
  v.strictObject({ kind: v.literal("environment"), variable: text("Environment variable") }),
  v.strictObject({ kind: v.literal("client"), why: text("Reason why Firesteel sets it") }),
]);

const named = { name: text("Key of the setting, or name of the input") };

const cause = v.variant("kind", [
  v.strictObject({
    ...{ kind: v.literal("setting"), ...named, value: leaf },
    from: v.exactOptional(text("Where the setting was written, for people")),
    origin,
  }),
  v.strictObject({ kind: v.literal("default"), ...named, value: v.exactOptional(text("Default, if there is one")) }),
  v.strictObject({ kind: v.literal("release"), ...named, upTo: text("Last release line with another value") }),
  v.strictObject({
    kind: choice(["argument", "variable", "machine", "generated", "version"], "Kind of the input"),
    ...named,
  }),
]);

/** Output of `explain`. */
export const explanation = v.strictObject({
  fields: v.array(
    v.strictObject({
      part: text("Part of the submission, e.g. `driverPod`"),
      object: text("`Kind/name` of the object"),
      path: text("Path of the field, with list items by name"),
      indexedPath: text("Path of the field with indexes, for kubectl and jq"),
      steps: v.array(text("Name of a step that contributes to the field")),
      value: leaf,
      causes: v.array(cause),
    }),
  ),
});

/** Output of `diff`. */
export const changes = v.strictObject({
  same: flag("Whether there is no difference"),
  changes: v.array(
    v.strictObject({
      object: text("`Kind/name` of the object"),
      path: text("Path of the field; empty for the whole object"),
      old: v.exactOptional(leaf),
      new: v.exactOptional(leaf),
    }),
  ),
});

/** Output of `packages resolve`. */
export const jars = v.strictObject({
  jars: v.array(
    v.strictObject({
      coordinate: text("Maven coordinates, `group:artifact:version`"),
      path: text("Path in a Maven repository"),
      file: text("Name of the file in the directory of jars"),
      sha256: v.exactOptional(text("Digest in hexadecimal; absent with `--list`")),
      sizeBytes: v.exactOptional(v.pipe(v.number(), v.integer(), v.description("Size in bytes; absent with `--list`"))),
      localPath: v.exactOptional(text("Absolute path; absent with `--list`")),
    }),
  ),
});

/** Output of `convert`. */
export const conversion = v.strictObject({
  result: v.pipe(
    v.union([v.looseObject({}), v.array(v.string())]),
    v.description(
      "The SparkApplication or the file of the own format; with `--to command` the arguments of spark-submit",
    ),
  ),
  notes: v.array(text("Sentence about what the result cannot express, or about a file that was written")),
});

/** Output of `schedule`. */
export const times = v.array(text("Time of a run (RFC 3339)"));
