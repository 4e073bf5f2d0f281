import type { PolicyRule, RoleRef } from "kubernetes-types/rbac/v1.d.ts";
import { isArray, isObject } from "../json.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Draft } from "../object.ts";
import { forbidden } from "../status.ts";
import type { Store } from "../store.ts";
import { authorize, covers, grants, type RequestAttributes, rulesOf } from "./authorize.ts";
import { mastersGroup, type User } from "./user.ts";

/** A write to an object that may grant permissions. */
interface Attempt {
  readonly store: Store;
  readonly user: User;
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly draft: Draft;
}

/** Rejects a role or binding with permissions that its author does not have. @throws StatusError 403 */
export function checkEscalation({ store, user, kind, namespace, draft }: Attempt): void {
  if (kind.group !== "rbac.authorization.k8s.io" || user.groups.includes(mastersGroup)) return;
  const { metadata, roleRef, rules } = draft;
  const name = metadata.name ?? "";
  const isBinding = isRoleRef(roleRef);
  const verb = isBinding ? "bind" : "escalate";
  const role = isBinding
    ? { resource: `${roleRef.kind.toLowerCase()}s`, name: roleRef.name }
    : { resource: kind.plural, name };
  const attributes: RequestAttributes = {
    verb,
    group: kind.group,
    subresource: undefined,
    namespace,
    ...role,
  };
  if (authorize(store, user, attributes).isAllowed) return;
  const granted = isBinding ? (rulesOf(store, roleRef, namespace) ?? []) : isArray(rules) ? rules.filter(isRule) : [];
  if (granted.reduce((count, rule) => count + permissionsOf(rule), 0) > maxPermissions) {
    const text = `the rules grant more than ${maxPermissions} single permissions, which are too many to compare`;
    throw forbidden(kind, name, `${text} with those of user ${JSON.stringify(user.name)}`);
  }
  const held = [...grants(store, user, namespace)].flatMap((grant) => grant.rules);
  const missing = granted
    .flatMap(simpleRules)
    .filter((simple) => !held.some((rule) => covers(rule, attributesOf(simple, namespace))));
  if (missing.length === 0) return;
  const groups = user.groups.map((group) => JSON.stringify(group)).join(" ");
  const text = `user ${JSON.stringify(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:`;
  throw forbidden(kind, name, [text, ...printRules(missing)].join("\n"));
}

function isRoleRef(value: unknown): value is RoleRef {
  return isObject(value) && typeof value["kind"] === "string";
}

function isRule(value: unknown): value is PolicyRule {
  return isObject(value);
}

/** One permission: a verb on a resource, on one object of it, or on a path. */
type SimpleRule =
  | { readonly verb: string; readonly path: string }
  | {
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly name: string | undefined;
    };

/** Maximum number of single permissions that are compared. Kubernetes has no such limit. */
const maxPermissions = 100_000;

/** Returns the number of single permissions of a rule: the product of its lists. */
function permissionsOf({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule) {
  const names = Math.max(resourceNames.length, 1);
  return (verbs ?? []).length * (nonResourceURLs.length + apiGroups.length * resources.length * names);
}

function simpleRules({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): SimpleRule[] {
  const names = resourceNames.length === 0 ? [undefined] : resourceNames;
  return (verbs ?? []).flatMap((verb) => [
    ...nonResourceURLs.map((path) => ({ verb, path })),
    ...apiGroups.flatMap((group) =>
      resources.flatMap((resource) => names.map((name) => ({ verb, group, resource, name }))),
    ),
  ]);
}

function attributesOf(rule: SimpleRule, namespace: string | undefined): RequestAttributes {
  if ("path" in rule) return rule;
  const [resource = "", subresource] = rule.resource.split("/");
  return { verb: rule.verb, group: rule.group, resource, subresource, namespace, name: rule.name };
}

/** Prints permissions by resource, in the format of Kubernetes' API server. */
function printRules(rules: readonly SimpleRule[]): string[] {
  const verbsOf = new Map<string, Set<string>>();
  for (const rule of rules) {
    const key = subjectText(rule);
    verbsOf.set(key, (verbsOf.get(key) ?? new Set()).add(rule.verb));
  }
  const texts = [...verbsOf].map(([subject, verbs]) => `{${subject}, Verbs:${listText([...verbs])}}`);
  return texts.sort();
}

function subjectText(rule: SimpleRule): string {
  if ("path" in rule) return `NonResourceURLs:${listText([rule.path])}`;
  const names = rule.name === undefined ? "" : `, ResourceNames:${listText([rule.name])}`;
  return `APIGroups:${listText([rule.group])}, Resources:${listText([rule.resource])}${names}`;
}

function listText(items: readonly string[]): string {
  return `[${items.map((item) => JSON.stringify(item)).join(" ")}]`;
}
