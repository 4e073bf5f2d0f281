import { orThrow, type SubmitError, submitError } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import { isHelpRequest } from "../../is-help-request.ts";
import { parseOptions } from "../../parse-options.ts";
import { selectCommand } from "../../select-command.ts";
import { chaosClient } from "./chaos-client.ts";
import { chaosUsage, chaosUsages } from "./chaos-usage.ts";
import { printRule, printState } from "./print-chaos.ts";

/** Options of a rule, and the field that each sets. */
const ruleValues = {
  "--path": "path",
  "--namespace": "namespace",
  "--object": "object",
  "--user": "user",
  "--user-agent": "userAgent",
  "--image": "image",
  "--skip": "skip",
  "--times": "times",
  "--probability": "probability",
  "--seed": "seed",
  "--for": "forMs",
  "--delay": "delayMs",
  "--retry-after": "retryAfterSeconds",
  "--message": "message",
} as const;
const ruleLists = { "--verb": "verbs", "--resource": "resources" } as const;

/** Options of an incident, and the field that each sets. */
const incidentValues = {
  "--namespace": "namespace",
  "--container": "container",
  "--message": "message",
  "--for": "forMs",
  "--by": "byMs",
} as const;

/** Incidents with their options. */
const incidents = {
  evict: ["--namespace", "--message"],
  oom: ["--namespace", "--container"],
  "lose-node": ["--gone", "--for"],
  "return-node": [],
  "step-clock": ["--by"],
} as const;
type Incident = keyof typeof incidents;

/** Runs `cluster chaos`: injects faults into a running cluster, and removes them. @throws SubmitError */
export async function runChaosCommand(host: Host, args: readonly string[]): Promise<number> {
  const selected = selectCommand(host, orList(args), {
    group: "cluster chaos",
    usage: chaosUsage,
    usages: chaosUsages,
  });
  if (selected.command === undefined) return selected.exitCode;
  const { command, rest } = selected;
  switch (command) {
    case "list":
      return await showState(host, rest, "GET");
    case "clear":
      return await showState(host, rest, "DELETE");
    case "add":
      return await addRule(host, rest);
    case "remove":
      return await removeRule(host, rest);
    default:
      return await causeIncident(host, command, rest);
  }
}

/** Adds the default command to its options, unless they are before another command or request help. */
function orList(args: readonly string[]): readonly string[] {
  const [option] = args;
  if (option === undefined) return ["list"];
  const after = args.slice(option === "--name" ? 2 : 1);
  const isList =
    option.startsWith("-") && !isHelpRequest(args) && !after.some((arg) => Object.hasOwn(chaosUsages, arg));
  return isList ? ["list", ...args] : args;
}

async function addRule(host: Host, args: readonly string[]): Promise<number> {
  const flags = parseOptions(args, {
    flags: ["--json", "--done", "--opened"],
    values: ["--name", ...keysOf(ruleValues), ...keysOf(ruleLists)],
    maxPositionals: 1,
  });
  const texts = {
    fault: flags.positionals[0],
    ...Object.fromEntries(keysOf(ruleValues).map((option) => [ruleValues[option], flags.value(option)])),
    ...Object.fromEntries(keysOf(ruleLists).map((option) => [ruleLists[option], unlessEmpty(flags.values(option))])),
    ...(flags.has("--done") ? { done: true } : {}),
    ...(flags.has("--opened") ? { opened: true } : {}),
  };
  const { fromTexts, parseChaosRule } = await import("../../../local-cluster/index.ts");
  const rule = orThrow(parseChaosRule(fromTexts(texts), nameOf({ ...ruleValues, ...ruleLists })));
  const entry = await chaosClient(host, flags).send("POST", "/rules", rule);
  host.stdout.write(flags.has("--json") ? json(entry) : printRule(entry));
  return 0;
}

async function causeIncident(host: Host, incident: Incident, args: readonly string[]): Promise<number> {
  const isOfPod = incident === "evict" || incident === "oom";
  const flags = parseOptions(args, {
    flags: ["--json", ...(incident === "lose-node" ? (["--gone"] as const) : [])],
    values: ["--name", ...keysOf(incidentValues).filter((option) => isOptionOf(incident, option))],
    maxPositionals: isOfPod ? 1 : 0,
  });
  const texts = {
    incident,
    ...(isOfPod ? { pod: flags.positionals[0] } : {}),
    ...Object.fromEntries(keysOf(incidentValues).map((option) => [incidentValues[option], flags.value(option)])),
    ...(flags.has("--gone") ? { gone: true } : {}),
  };
  const { fromTexts, parseIncident } = await import("../../../local-cluster/index.ts");
  const parsed = orThrow(parseIncident(fromTexts(texts), nameOf(incidentValues)));
  const state = await chaosClient(host, flags).send("POST", "/incidents", parsed);
  host.stdout.write(flags.has("--json") ? json(state) : printState(state));
  return 0;
}

async function showState(host: Host, args: readonly string[], method: "GET" | "DELETE"): Promise<number> {
  const flags = parseOptions(args, { flags: ["--json"], values: ["--name"], maxPositionals: 0 });
  const state = await chaosClient(host, flags).send(method, "");
  host.stdout.write(flags.has("--json") ? json(state) : printState(state));
  return 0;
}

function ruleMissing(): SubmitError {
  return submitError("SUBMIT_ERR_ARGUMENT_MISSING", {
    ...{ command: "cluster chaos remove", what: "the ID of a rule", example: "chaos-1" },
    allowed: "an ID that firesteel cluster chaos list prints",
  });
}

async function removeRule(host: Host, args: readonly string[]): Promise<number> {
  const flags = parseOptions(args, { flags: ["--json"], values: ["--name"], maxPositionals: 1 });
  const [id] = flags.positionals;
  if (id === undefined) throw ruleMissing();
  const removed = await chaosClient(host, flags).send("DELETE", `/rules/${encodeURIComponent(id)}`);
  host.stdout.write(flags.has("--json") ? json(removed) : `Rule ${id} removed.\n`);
  return 0;
}

function isOptionOf(incident: Incident, option: string): boolean {
  return incidents[incident].some((own) => own === option);
}

function keysOf<K extends string>(record: Readonly<Record<K, string>>): readonly K[];
function keysOf(record: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(record);
}

/** Returns a function that maps a field to the option that the user knows. */
function nameOf(options: Readonly<Record<string, string>>): (field: string) => string {
  return (field) => Object.entries(options).find(([, own]) => own === field)?.[0] ?? field;
}

function unlessEmpty(values: readonly string[]): readonly string[] | undefined {
  return values.length === 0 ? undefined : values;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
