import { type Issue, issue, type Result, unlessIssues } from "../../errors/issue.ts";
import { isObject, type JsonObject } from "../api/json.ts";
import { duration, type FieldRule, flag, isNonEmptyText } from "./parse-rule.ts";

/** A one-time failure of the cluster that happens now. */
export type Incident =
  /** The kubelet evicts a pod because the node lacks memory: phase Failed, reason Evicted. */
  | { readonly incident: "evict"; readonly pod: string; readonly namespace?: string; readonly message?: string }
  /** The kernel kills one container, or all containers of the pod: OOMKilled, exit code 137. */
  | { readonly incident: "oom"; readonly pod: string; readonly namespace?: string; readonly container?: string }
  /**
   * The node stops reporting: it is NotReady and tainted. Its pods keep running and are deleted when their tolerations expire.
   * With `gone`, the machine is off and its Node object is deleted: its pods end immediately and are removed as Failed.
   */
  | { readonly incident: "lose-node"; readonly forMs?: number; readonly gone?: boolean }
  | { readonly incident: "return-node" }
  /** The clock of the API, controllers and node jumps. Timers that have started keep their duration. */
  | { readonly incident: "step-clock"; readonly byMs: number };

const text: FieldRule = { accepts: isNonEmptyText, allowed: "a name" };
const pod = { pod: { ...text, isRequired: true }, namespace: text };

const incidents: Readonly<
  Record<Incident["incident"], Readonly<Record<string, FieldRule & { readonly isRequired?: boolean }>>>
> = {
  evict: { ...pod, message: { ...text, allowed: "a text" } },
  oom: { ...pod, container: text },
  "lose-node": { forMs: duration, gone: flag },
  "return-node": {},
  "step-clock": {
    byMs: {
      accepts: (value) => Number.isSafeInteger(value) && value !== 0,
      allowed: "a duration, forwards or backwards, such as 1h or -5min",
      isRequired: true,
    },
  },
};

/** Parses an incident and reports every invalid field. @param nameOf returns a field's name for messages */
export function parseIncident(data: unknown, nameOf: (field: string) => string = (field) => field): Result<Incident> {
  const input: JsonObject = isObject(data) ? data : {};
  const name = String(input["incident"] ?? "nothing");
  const issues: Issue[] = [];
  const reject = (field: string, value: unknown, allowed: string) =>
    issues.push(issue("SUBMIT_ERR_CHAOS_FIELD", { field, value: String(value ?? "nothing"), allowed }));
  const known = isIncidentName(name) ? incidents[name] : {};
  if (!isIncidentName(name)) reject(nameOf("incident"), name, Object.keys(incidents).join(", "));
  for (const [field, { accepts, allowed, isRequired }] of Object.entries(known)) {
    const value = input[field];
    if (value === undefined ? isRequired === true : !accepts(value)) reject(nameOf(field), value, allowed);
  }
  for (const field of Object.keys(input)) {
    const isKnown = field === "incident" || field in known;
    if (!isKnown && isIncidentName(name))
      reject(`a field of ${name}`, nameOf(field), Object.keys(known).map(nameOf).join(", ") || "none");
  }
  return isIncident(input, issues) ? unlessIssues(issues, input) : { ok: false, issues };
}

function isIncidentName(name: string): name is Incident["incident"] {
  return Object.hasOwn(incidents, name);
}

function isIncident(data: JsonObject, issues: readonly Issue[]): data is JsonObject & Incident {
  return issues.length === 0 && data["incident"] !== undefined;
}
