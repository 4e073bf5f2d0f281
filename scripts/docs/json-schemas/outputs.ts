import { toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";
import { table } from "../table.ts";
import * as applications from "./applications.ts";
import * as machine from "./machine.ts";
import * as submissions from "./submissions.ts";

/** JSON output of commands. */
interface Output {
  /** Commands that print it. */
  readonly commands: readonly string[];
  readonly schema: v.GenericSchema;
  readonly title: string;
}

/** Outputs by the name of their schema. */
export const outputs: Readonly<Record<string, Output>> = {
  application: {
    commands: ["firesteel ps --watch --json"],
    schema: applications.application,
    title: "An application; one line of output for each change",
  },
  applications: {
    commands: ["firesteel ps --json"],
    schema: applications.applications,
    title: "The applications of a cluster, the newest first",
  },
  "connect-servers": {
    commands: ["firesteel connect list --json"],
    schema: applications.connectServers,
    title: "The Spark Connect servers of a cluster, the newest first",
  },
  drivers: {
    commands: ["firesteel status --json"],
    schema: applications.drivers,
    title: "Drivers with their containers",
  },
  events: { commands: ["firesteel events --json"], schema: applications.events, title: "Events, the oldest first" },
  diagnosis: {
    commands: ["firesteel diagnose --json"],
    schema: applications.diagnosis,
    title: "Problem of a driver",
  },
  "timeline-entry": {
    commands: ["firesteel diagnose --record FILE --timeline"],
    schema: applications.timelineEntry,
    title: "Problem of a recorded driver; one line of output for each change",
  },
  bundle: {
    commands: ["bundle.json in a bundle"],
    schema: applications.bundle,
    title: "Content of the bundle of an application",
  },
  "written-bundle": {
    commands: ["firesteel bundle --json"],
    schema: applications.writtenBundle,
    title: "A bundle of an application that was written",
  },
  findings: { commands: ["firesteel doctor --json"], schema: applications.findings, title: "Results of the checks" },
  objects: {
    commands: ["firesteel render --output json"],
    schema: submissions.objects,
    title: "Objects of a submission",
  },
  explanation: {
    commands: ["firesteel explain --json"],
    schema: submissions.explanation,
    title: "Origins of the fields of a submission",
  },
  changes: {
    commands: ["firesteel diff --json"],
    schema: submissions.changes,
    title: "Differences of two submissions",
  },
  applied: {
    commands: ["firesteel apply --json"],
    schema: applications.applied,
    title: "What apply did; one line of output for each action",
  },
  activity: { commands: ["firesteel top --json"], schema: applications.activity, title: "Activity of an application" },
  conversion: {
    commands: ["firesteel convert --json"],
    schema: submissions.conversion,
    title: "A converted application",
  },
  "schedule-times": {
    commands: ["firesteel schedule --json"],
    schema: submissions.times,
    title: "Next runs of a schedule",
  },
  jars: { commands: ["firesteel packages resolve --json"], schema: submissions.jars, title: "Jars of packages" },
  "image-definitions": {
    commands: ["firesteel image list --json"],
    schema: machine.imageDefinitions,
    title: "Images that can be built",
  },
  "built-images": { commands: ["firesteel image build --json"], schema: machine.builtImages, title: "Built images" },
  cluster: {
    commands: ["firesteel cluster start --json", "firesteel cluster status --json"],
    schema: machine.cluster,
    title: "The embedded cluster",
  },
  "cluster-images": {
    commands: ["firesteel cluster image list --json", "firesteel cluster image load --json"],
    schema: machine.clusterImages,
    title: "Images of the embedded cluster",
  },
  "cluster-ui": {
    commands: ["firesteel cluster ui --json"],
    schema: machine.clusterUi,
    title: "Address of a driver's pages on the embedded cluster",
  },
  "chaos-rule": {
    commands: ["firesteel cluster chaos add --json"],
    schema: machine.chaosEntry,
    title: "A rule that injects faults",
  },
  "removed-chaos-rule": {
    commands: ["firesteel cluster chaos remove --json"],
    schema: machine.removedChaosRule,
    title: "A removed rule",
  },
  "chaos-state": {
    commands: ["firesteel cluster chaos list --json"],
    schema: machine.chaosState,
    title: "Rules and incidents of the embedded cluster",
  },
};

/** Builds the schemas and their page, by path. */
export const schemaPages: Readonly<Record<string, () => string>> = {
  ...Object.fromEntries(
    Object.keys(outputs).map((name) => [`docs/schemas/${name}.schema.json`, () => printSchema(publishedSchema(name))]),
  ),
  "docs/schemas/README.md": page,
};

/** Returns the published schema of an output: programs that read it must accept further properties. */
export function publishedSchema(name: string): object {
  return withoutLimits(strictSchema(name));
}

/** Returns the schema of an output that allows only the listed properties. */
export function strictSchema(name: string): object {
  const output = outputs[name];
  if (output === undefined) throw new Error(`There is no output ${name}.`);
  const { $schema, ...schema } = toJsonSchema(output.schema, { errorMode: "throw", target: "draft-2020-12" });
  return { $schema, title: output.title, ...schema };
}

function withoutLimits(schema: object): object {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === "additionalProperties" ? undefined : value)));
}

function printSchema(schema: object): string {
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

function page(): string {
  const rows = Object.entries(outputs).flatMap(([name, { commands, title }]) =>
    commands.map((command) => [`\`${command}\``, title, `[${name}](${name}.schema.json)`]),
  );
  return `${[
    "<!-- Made from scripts/docs/json-schemas by `npm run update:docs`. Do not edit. -->",
    "# JSON output",
    [
      "These commands print JSON to stdout; messages go to stderr. Each output has a JSON Schema (draft 2020-12), and Firesteel's tests",
      "compare real outputs with it.",
    ].join("\n"),
    table(["command", "output", "schema"], rows),
    [
      "The output is stable: a property keeps its name, type and meaning. Later versions can add properties, and values to lists of causes,",
      "checks and reasons, so ignore what you do not know.",
    ].join("\n"),
    "An unknown value is null unless its description says that the property is absent. Programs in JavaScript can use [the library](../sdk.md) instead.",
  ].join("\n\n")}\n`;
}
