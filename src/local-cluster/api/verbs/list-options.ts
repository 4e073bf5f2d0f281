import { goQuoted } from "../../../values/go-quoted.ts";
import type { Call } from "../call.ts";
import { isObject } from "../json.ts";
import type { Draft } from "../object.ts";
import { type FieldSelector, parseFieldSelector } from "../selectors/field-selector.ts";
import { parseLabelSelector, SelectorError } from "../selectors/label-selector.ts";
import { badRequest, invalid } from "../status.ts";
import { type FieldError, forbiddenField, notSupported } from "../validation/field-error.ts";
import { parseJson } from "../wire/parse-json.ts";
import { flag, integer, timeout } from "../wire/query.ts";

/** Objects that a request selects. */
export interface Selection {
  readonly matches: (object: Draft) => boolean;
  /** Whether a label or field selector restricts it. */
  readonly isSelective: boolean;
}

/** The position where a list continues. */
interface Continuation {
  readonly revision: number;
  /** Key of the next page's first object: `namespace/name`, or a prefix of it. */
  readonly start: string;
  /** Time of the first page, in ms since 1970; `undefined` in tokens of other servers. */
  readonly time?: number | undefined;
}

/** Parsed parameters of a list or watch. */
export interface ListOptions {
  readonly selection: Selection;
  readonly limit: number | undefined;
  readonly continuation: Continuation | undefined;
  /** The requested revision. `undefined`: the newest; 0: any. */
  readonly revision: number | undefined;
  readonly isExact: boolean;
  readonly allowBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  readonly timeoutSeconds: number | undefined;
}

/**
 * Parses the parameters of a list, a watch or a deletion of a collection.
 *
 * @throws StatusError 400, 422
 */
export function listOptions({ query, kind, name }: Call, { isWatch }: { isWatch: boolean }): ListOptions {
  timeout(query);
  const limit = integer(query, "limit");
  const timeoutSeconds = integer(query, "timeoutSeconds");
  const resourceVersion = query.get("resourceVersion") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  const token = query.get("continue") ?? "";
  const initial = query.get("sendInitialEvents");
  const sendInitialEvents = initial === null ? undefined : flag(query, "sendInitialEvents");
  const selection = selectionOf(query, { kind, name });
  const errors = isWatch
    ? watchErrors({ match, sendInitialEvents })
    : listErrors({ match, sendInitialEvents, resourceVersion, token });
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "ListOptions", plural: "" }, "", errors);
  if (token !== "" && resourceVersion !== "" && resourceVersion !== "0") {
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  const continuation = token === "" ? undefined : parseContinuation(token);
  return {
    selection,
    limit: limit === undefined || limit <= 0 ? undefined : limit,
    continuation,
    revision: parseRevision(resourceVersion, "invalid resource version: "),
    // With a limit, a revision is exact unless resourceVersionMatch permits newer ones.
    isExact: match === "Exact" || (match === "" && (limit ?? 0) > 0 && !["", "0"].includes(resourceVersion)),
    allowBookmarks: flag(query, "allowWatchBookmarks"),
    sendInitialEvents,
    timeoutSeconds: timeoutSeconds === undefined || timeoutSeconds <= 0 ? undefined : timeoutSeconds,
  };
}

const maxRevision = 2n ** 64n - 1n;
const maxRevisionDigits = 20;

/** Parses a revision; `undefined` for empty text. @throws StatusError 400 */
export function parseRevision(text: string, prefix = ""): number | undefined {
  if (text === "") return undefined;
  const isNumber = /^\d+$/.test(text);
  if (isNumber && text.replace(/^0+/, "").length <= maxRevisionDigits && BigInt(text) <= maxRevision)
    return Number(text);
  const reason = isNumber ? "value out of range" : "invalid syntax";
  const fault = `resourceVersion: Invalid value: ${goQuoted(text)}: strconv.ParseUint: parsing ${goQuoted(text)}: ${reason}`;
  throw badRequest(`${prefix}${fault}`);
}

const matches = ["Exact", "NotOlderThan", ""];

function listErrors(options: {
  match: string;
  sendInitialEvents: boolean | undefined;
  resourceVersion: string;
  token: string;
}): FieldError[] {
  const { match, sendInitialEvents, resourceVersion, token } = options;
  const field = "resourceVersionMatch";
  const errors: FieldError[] = [];
  if (match !== "") {
    if (resourceVersion === "")
      errors.push(forbiddenField(field, `${field} is forbidden unless resourceVersion is provided`));
    if (token !== "") errors.push(forbiddenField(field, `${field} is forbidden when continue is provided`));
    if (!matches.includes(match)) errors.push(notSupported(field, match, matches));
    if (match === "Exact" && resourceVersion === "0") {
      errors.push(forbiddenField(field, `${field} "exact" is forbidden for resourceVersion "0"`));
    }
  }
  if (sendInitialEvents !== undefined) {
    errors.push(forbiddenField("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  return errors;
}

function watchErrors({
  match,
  sendInitialEvents,
}: {
  match: string;
  sendInitialEvents: boolean | undefined;
}): FieldError[] {
  const field = "resourceVersionMatch";
  const known = ["", "NotOlderThan"].includes(match) ? [] : [notSupported(field, match, ["NotOlderThan"])];
  if (sendInitialEvents === undefined) {
    return match === ""
      ? []
      : [forbiddenField(field, `${field} is forbidden for watch unless sendInitialEvents is provided`), ...known];
  }
  if (match === "NotOlderThan") return [];
  return [forbiddenField(field, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"), ...known];
}

/** Parses a request's selectors and the name in its path. @throws StatusError 400 */
export function selectionOf(query: URLSearchParams, { kind, name }: Pick<Call, "kind" | "name">): Selection {
  try {
    const labelText = query.get("labelSelector") ?? "";
    const labels = parseLabelSelector(labelText);
    const fieldText = query.get("fieldSelector") ?? "";
    const fields: FieldSelector = parseFieldSelector(fieldText, { ...kind.rules, isNamespaced: kind.namespaced });
    return {
      matches: (object) =>
        (name === "" || object.metadata.name === name) && labels(object.metadata.labels) && fields.matches(object),
      isSelective: labelText.trim() !== "" || fieldText !== "",
    };
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message);
    throw error;
  }
}

const tokenVersion = "meta.k8s.io/v1";

/** Parses the token of a page. Source: Kubernetes 1.35, storage.DecodeContinue. @throws StatusError 400 */
function parseContinuation(token: string): Continuation {
  const reject = (fault: string) => badRequest(`invalid continue token: continue key is not valid: ${fault}`);
  const stray = /[^\w-]/.exec(token);
  if (stray !== null || token.length % 4 === 1) {
    throw reject(`illegal base64 data at input byte ${stray?.index ?? token.length}`);
  }
  const parsed = parseJson(Buffer.from(token, "base64url").toString("utf8"));
  if ("fault" in parsed) throw reject(parsed.fault);
  const { v = "", rv = 0, start = "", time } = isObject(parsed.value) ? parsed.value : {};
  if (v !== tokenVersion) throw reject(`server does not recognize this encoded version ${v}`);
  if (rv === 0) throw reject(`incorrect encoded start resourceVersion (version ${tokenVersion})`);
  if (typeof rv !== "number" || !Number.isSafeInteger(rv)) {
    const found = typeof rv === "number" ? `number ${rv}` : typeof rv;
    throw reject(`json: cannot unmarshal ${found} into Go struct field continueToken.rv of type int64`);
  }
  if (typeof start !== "string" || start === "") throw reject(`encoded start key empty (version ${tokenVersion})`);
  // A key must not leave its collection.
  if (start.split("/").some((part) => part === "." || part === "..")) throw reject(start);
  return { revision: rv, start, ...(typeof time === "number" ? { time } : {}) };
}

/** Prints the token of a page. `time` is our own: Kubernetes forgets pages by compacting its database, also if nothing else changes. */
export function printContinuation({ revision, start, time }: Continuation): string {
  return Buffer.from(JSON.stringify({ v: tokenVersion, rv: revision, start, time })).toString("base64url");
}
