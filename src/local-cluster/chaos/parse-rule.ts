import { type Issue, issue, type Result, unlessIssues } from "../../errors/issue.ts";
import { isArray, isObject, type JsonObject } from "../api/json.ts";
import { type ChaosRule, type FaultName, faultNames } from "./chaos-rule.ts";

type Field = Exclude<keyof ChaosRule, "fault">;

/** Accepted values of a field. */
export interface FieldRule {
  readonly accepts: (value: unknown) => boolean;
  readonly allowed: string;
}

interface RuleField extends FieldRule {
  /** Faults that support the field. @default all request faults */
  readonly of?: readonly FaultName[];
}

const verbs: readonly unknown[] = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];
const streams: readonly FaultName[] = ["drop", "half-open"];
const ofRequests: readonly FaultName[] = faultNames.filter((name) => name !== "image-pull");
const statusFaults: readonly FaultName[] = faultNames.filter((name) => /^\d/.test(name));

/** Checks for a text that is not empty. */
export const isNonEmptyText = (value: unknown): value is string => typeof value === "string" && value !== "";
const isCount = (minimum: number) => (value: unknown) => Number.isSafeInteger(value) && Number(value) >= minimum;
const isListOf = (accepts: (item: unknown) => boolean) => (value: unknown) =>
  isArray(value) && value.length > 0 && value.every(accepts);

const text: FieldRule = { accepts: isNonEmptyText, allowed: "a text; * matches any text" };
export const duration: FieldRule = { accepts: isCount(1), allowed: "a duration of at least 1 ms" };
export const flag: FieldRule = { accepts: (value) => typeof value === "boolean", allowed: "true, false" };

const fields: Readonly<Record<Field, RuleField>> = {
  verbs: { accepts: isListOf((verb) => verbs.includes(verb)), allowed: verbs.join(", ") },
  resources: { accepts: isListOf(isNonEmptyText), allowed: "plurals such as pods, pods/log, statefulsets.apps, *" },
  path: { accepts: (value) => isNonEmptyText(value) && /^[/*]/.test(value), allowed: "a path such as /api/v1/*" },
  namespace: text,
  object: text,
  user: text,
  userAgent: text,
  image: { ...text, of: ["image-pull"] },
  skip: { accepts: isCount(0), allowed: "an integer of at least 0", of: faultNames },
  times: { accepts: isCount(1), allowed: "an integer of at least 1", of: faultNames },
  probability: {
    accepts: (value) => typeof value === "number" && value > 0 && value <= 1,
    allowed: "a number above 0 and at most 1",
    of: faultNames,
  },
  seed: { accepts: isCount(0), allowed: "an integer of at least 0", of: faultNames },
  forMs: { ...duration, of: faultNames },
  delayMs: { ...duration, of: ["slow", ...streams] },
  retryAfterSeconds: { accepts: isCount(0), allowed: "an integer number of seconds", of: ["429", "500", "503", "504"] },
  message: { accepts: isNonEmptyText, allowed: "a text", of: [...statusFaults, "image-pull"] },
  done: { ...flag, of: ofRequests.filter((name) => name !== "slow" && name !== "half-open") },
  opened: { ...flag, of: streams },
};

/** Parses a rule and reports every invalid field with its allowed values. @param nameOf returns a field's name for messages */
export function parseRule(data: unknown, nameOf = (field: keyof ChaosRule): string => field): Result<ChaosRule> {
  const input: JsonObject = isObject(data) ? data : {};
  const fault = faultNames.find((name) => name === input["fault"]);
  const issues: Issue[] = [];
  const reject = (field: string, value: unknown, allowed: string) =>
    issues.push(issue("SUBMIT_ERR_CHAOS_FIELD", { field, value: print(value), allowed }));
  if (fault === undefined) reject(nameOf("fault"), input["fault"], faultNames.join(", "));
  for (const [name, value] of Object.entries(input)) {
    if (name === "fault" || value === undefined) continue;
    if (!isField(name)) reject("a field", name, Object.keys(fields).join(", "));
    else if (!fields[name].accepts(value)) reject(nameOf(name), value, fields[name].allowed);
    else if (fault !== undefined && !faultsOf(name).includes(fault))
      reject(`${nameOf(name)} of ${fault}`, value, `nothing; it applies to ${faultsOf(name).join(", ")}`);
  }
  if (fault === "slow" && input["delayMs"] === undefined)
    reject(`${nameOf("delayMs")} of slow`, undefined, duration.allowed);
  return unlessIssues(issues, { ...input, fault: fault ?? "500" });
}

function isField(name: string): name is Field {
  return Object.hasOwn(fields, name);
}

function faultsOf(name: Field): readonly FaultName[] {
  return fields[name].of ?? ofRequests;
}

function print(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
}
