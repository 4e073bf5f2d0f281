/** Scenarios of faults: one YAML file each, with the application, its settings, what breaks, and the truth. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { load } from "js-yaml";
import * as v from "valibot";

export const scenarioDirectory = "test/golden/fault-scenarios";

const text = v.string();
const texts = v.array(text);
const object = v.record(text, v.unknown());

/** Condition for a step or for the end of the recording. All that are set must hold. */
const condition = v.strictObject({
  /** Pattern of a line in the driver log. */
  log: v.optional(text),
  /** Pattern of a line in the log of any executor. */
  executorLog: v.optional(text),
  /** Pattern in the reason or message of an event. */
  event: v.optional(text),
  /** Number of executors whose container runs. */
  executors: v.optional(v.number()),
  /** Time after the condition before (ms). */
  ms: v.optional(v.number()),
});

/** Request of an administrator. `{namespace}`, `{driver}`, `{executor}` and `{node}` are replaced by names. */
const call = v.strictObject({ method: text, path: text, body: v.optional(v.unknown()) });

const step = v.strictObject({
  when: condition,
  call: v.optional(call),
  /** Program that the node runs: the value of the option `--stop-node` or `--start-node`. */
  node: v.optional(v.picklist(["stop", "start"])),
});

const scenario = v.strictObject({
  title: text,
  cause: text,
  cluster: v.optional(v.picklist(["real", "embedded"]), "real"),
  /** Whether it changes the node, so that no other scenario may run meanwhile. */
  alone: v.optional(v.boolean(), false),
  spark: v.optional(text, "4.3.0"),
  /** Source of a Python application, in a ConfigMap. */
  python: v.optional(text),
  /** Whether `spark-submit` sends the Python application as a file of this machine instead. */
  isUploaded: v.optional(v.boolean(), false),
  /** Instead of `python`: arguments of `spark-submit` for the application. */
  application: v.optional(texts, []),
  arguments: v.optional(texts, []),
  settings: v.optional(v.record(text, text), {}),
  driverTemplate: v.optional(object),
  executorTemplate: v.optional(object),
  /** Objects that exist before the submission. A path in `path` replaces that of the kind in the namespace. */
  objects: v.optional(v.array(v.strictObject({ path: text, object })), []),
  /** Requests before the submission. */
  before: v.optional(v.array(call), []),
  /** Requests after the recording, which undo those before. */
  after: v.optional(v.array(call), []),
  /** Response to every request at a port of this machine, at the address of the API. */
  responses: v.optional(v.strictObject({ port: v.number(), status: v.number(), body: text })),
  steps: v.optional(v.array(step), []),
  /** @default the driver has ended */
  until: v.optional(condition),
  truth: v.strictObject({
    terminal: v.boolean(),
    mustMention: v.optional(texts, []),
    /** Decisive texts and their parts of the record, most decisive first. Empty for a healthy run. */
    evidence: v.array(v.strictObject({ in: text, text })),
    /** Other causes that are true, too, such as a warning before the fault. */
    also: v.optional(texts, []),
    /** For a fault that only silence shows: when it began (ms). */
    knownMs: v.optional(v.number()),
  }),
});

export type Condition = v.InferOutput<typeof condition>;
export type Step = v.InferOutput<typeof step>;
export type Scenario = v.InferOutput<typeof scenario> & { readonly id: string };

/** Reads all scenarios. Throws for an invalid file, with its name and all its issues. */
export function readScenarios(): readonly Scenario[] {
  const files = readdirSync(scenarioDirectory).filter((name) => name.endsWith(".yaml"));
  return files.sort().map((name) => {
    const parsed = v.safeParse(scenario, load(readFileSync(join(scenarioDirectory, name), "utf8")));
    if (parsed.success) return { ...parsed.output, id: basename(name, ".yaml") };
    const issues = parsed.issues.map((issue) => `${v.getDotPath(issue)}: ${issue.message}`);
    throw new Error(`${name}: ${issues.join("; ")}`);
  });
}
