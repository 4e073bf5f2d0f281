import type { ChaosRule } from "./chaos-rule.ts";

/** Properties of a request that rules can match. */
export interface RequestFacts {
  readonly verb: string;
  /** Path without the query. */
  readonly path: string;
  /** `undefined` for a path that is not a resource. */
  readonly resource:
    | { readonly plural: string; readonly group: string; readonly subresource: string | undefined }
    | undefined;
  readonly namespace: string | undefined;
  readonly object: string | undefined;
  /** A watch, or a log that is followed. */
  readonly isStream: boolean;
  readonly userAgent: string;
  /** Authenticates the user; called only if a rule names one. */
  readonly user: () => string;
}

/** Checks whether a rule matches a request. */
export function matchesRequest(rule: ChaosRule, facts: RequestFacts): boolean {
  const { verbs, resources, path, namespace, object, user, userAgent } = rule;
  return (
    rule.fault !== "image-pull" &&
    (facts.isStream || !isOfStream(rule)) &&
    (verbs === undefined || verbs.includes(facts.verb)) &&
    (resources === undefined || namesOf(facts).some((name) => resources.some((glob) => isLike(name, glob)))) &&
    matchesGlob(facts.path, path) &&
    matchesGlob(facts.namespace, namespace) &&
    matchesGlob(facts.object, object) &&
    matchesGlob(facts.userAgent, userAgent) &&
    (user === undefined || isLike(facts.user(), user))
  );
}

/** A rule that interrupts a stream after a delay. A connection dropped immediately gets no response. */
export type StreamRule = { readonly fault: "drop" | "half-open" };

export function isOfStream(rule: ChaosRule): rule is ChaosRule & StreamRule {
  return rule.fault === "half-open" || (rule.fault === "drop" && (rule.delayMs ?? 0) > 0);
}

/** Checks whether a text matches `glob`, in which `*` matches any text. */
export function isLike(text: string, glob: string): boolean {
  const parts = glob.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s").test(text);
}

function matchesGlob(text: string | undefined, glob: string | undefined): boolean {
  return glob === undefined || (text !== undefined && isLike(text, glob));
}

/** Returns the names that match a resource: `pods` or `pods/log`, for API groups with and without the group. */
function namesOf({ resource }: RequestFacts): readonly string[] {
  if (resource === undefined) return [];
  const { plural, group, subresource } = resource;
  const part = subresource === undefined ? "" : `/${subresource}`;
  return group === "" ? [`${plural}${part}`] : [`${plural}${part}`, `${plural}.${group}${part}`];
}
