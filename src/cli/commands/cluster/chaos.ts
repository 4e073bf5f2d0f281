import { orThrow, type SubmitError, submitError } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import { parseOptions } from "../../parse-options.ts";
import { commandAfterOption, unknownCommand } from "../../unknown-name.ts";
import { chaosClient } from "./chaos-client.ts";
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

const incidents = ["evict", "oom", "lose-node", "return-node", "step-clock"] as const;
const commands = ["list", "add", "remove", "clear", ...incidents];

/** Runs `cluster chaos`: injects faults into a running cluster, and removes them. @throws SubmitError */
export async function runChaosCommand(host: Host, args: readonly string[]): Promise<number> {
  const [option] = args;
  const afterOption = args.slice(option === "--name" ? 2 : 1);
  if (option?.startsWith("-") === true && afterOption.some((arg) => commands.some((name) => name === arg)))
    throw commandAfterOption("cluster chaos", args, commands);
  const [command = "list", ...rest] = args[0]?.startsWith("-") === true ? ["list", ...args] : args;
  const incident = incidents.find((name) => name === command);
  if (incident !== undefined) return await causeIncident(host, incident, rest);
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
      throw unknownCommand(`cluster chaos ${command}`, commands);
  }
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

async function causeIncident(
  host: Host,
  incident: (typeof incidents)[number],
  args: readonly string[],
): Promise<number> {
  const isOfPod = incident === "evict" || incident === "oom";
  const flags = parseOptions(args, {
    flags: ["--json", "--gone"],
    values: ["--name", ...keysOf(incidentValues)],
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
