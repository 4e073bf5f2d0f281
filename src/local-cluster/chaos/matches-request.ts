import type { ChaosRule } from "./chaos-rule.ts";

/** What rules know of a request. */
export interface RequestFacts {
  readonly verb: string;
  /** Without query. */
  readonly path: string;
  /** `undefined` for a path that is no resource. */
  readonly resource:
    | { readonly plural: string; readonly group: string; readonly subresource: string | undefined }
    | undefined;
  readonly namespace: string | undefined;
  readonly object: string | undefined;
  /** A watch, or a log that is followed. */
  readonly isStream: boolean;
  readonly userAgent: string;
  /** Looked up only where a rule asks. */
  readonly user: () => string;
}

/** Whether a rule is about a request. */
export function matchesRequest(rule: ChaosRule, facts: RequestFacts): boolean {
  const { verbs, resources, path, namespace, object, user, userAgent } = rule;
  return (
    rule.fault !== "image-pull" &&
    (facts.isStream || !isOfStream(rule)) &&
    (verbs === undefined || verbs.includes(facts.verb)) &&
    (resources === undefined ||
      namesOf(facts).some((name) => resources.some((glob) => isLike(name, glob)))) &&
    matchesGlob(facts.path, path) &&
    matchesGlob(facts.namespace, namespace) &&
    matchesGlob(facts.object, object) &&
    matchesGlob(facts.userAgent, userAgent) &&
    (user === undefined || isLike(facts.user(), user))
  );
}

/** Rules that let a stream go on for a while; a connection that is dropped at once has no answer. */
export type StreamRule = { readonly fault: "drop" | "half-open" };

export function isOfStream(rule: ChaosRule): rule is ChaosRule & StreamRule {
  return rule.fault === "half-open" || (rule.fault === "drop" && (rule.delayMs ?? 0) > 0);
}

/** Whether a text is as `glob` says, in which `*` stands for any other. */
export function isLike(text: string, glob: string): boolean {
  const parts = glob.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s").test(text);
}

function matchesGlob(text: string | undefined, glob: string | undefined): boolean {
  return glob === undefined || (text !== undefined && isLike(text, glob));
}

/** `pods`, or `pods/log`; those of groups with and without it. */
function namesOf({ resource }: RequestFacts): readonly string[] {
  if (resource === undefined) return [];
  const { plural, group, subresource } = resource;
  const part = subresource === undefined ? "" : `/${subresource}`;
  return group === "" ? [`${plural}${part}`] : [`${plural}${part}`, `${plural}.${group}${part}`];
}
