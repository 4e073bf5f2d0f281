import type { SparkLine } from "../../conf/spark-version.ts";

/** Actions of the protocol with their methods. */
export const actionMethods = {
  create: "POST",
  kill: "POST",
  status: "GET",
  killall: "POST",
  clear: "POST",
  readyz: "GET",
} as const;

/** Action of the protocol, named as in its path. */
export type Action = keyof typeof actionMethods;

/** Action of a path, or the reason why it has none. */
export type FoundAction =
  | { readonly kind: "action"; readonly action: Action; readonly id: string }
  | { readonly kind: "invalid"; readonly message: string }
  | { readonly kind: "unknownVersion"; readonly message: string };

/** Version of the protocol: the only one there is. */
export const protocolVersion = "v1";

const instruction = "Please submit requests through http://[host]:[port]/v1/submissions/...";

/** Actions that masters before Spark 4.0 do not have. */
const newerActions: readonly Action[] = ["killall", "clear", "readyz"];

/**
 * Finds the action of a path. Ignores the segments after the action and its ID.
 *
 * Source: Spark RestSubmissionServer; recorded with Spark 3.5.9 and 4.3.0.
 */
export function findAction(path: string, line: SparkLine): FoundAction {
  const segments = path.split("/").slice(1).map(decodeSegment);
  const [version, prefix, name = "", id = ""] = segments;
  if (version === protocolVersion && prefix === "submissions") {
    const action = actionOf(name, line);
    if (action !== undefined) return { kind: "action", action, id };
  }
  const [first, second] = segments.filter((segment) => segment !== "");
  if (first === undefined) return invalid("Missing protocol version.");
  if (first !== protocolVersion || (second !== undefined && second !== "submissions"))
    return { kind: "unknownVersion", message: `Unknown protocol version '${first}'. ${instruction}` };
  if (second === undefined) return invalid("Missing the /submissions prefix.");
  return invalid(`Missing an action: please specify one of ${actionNames(line)}.`);
}

function invalid(reason: string): FoundAction {
  return { kind: "invalid", message: `${reason} ${instruction}` };
}

function actionOf(name: string, line: SparkLine): Action | undefined {
  const found = Object.keys(actionMethods).find((action): action is Action => action === name);
  return found !== undefined && line === "3.5" && newerActions.includes(found) ? undefined : found;
}

function actionNames(line: SparkLine): string {
  if (line === "3.5") return "/create, /kill, or /status";
  return "/create, /kill, /killall, /clear, /status, or /readyz";
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
