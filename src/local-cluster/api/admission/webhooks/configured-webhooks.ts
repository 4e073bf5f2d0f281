import type { ApiScope } from "../../call.ts";
import { isArray, isObject, type JsonObject } from "../../json.ts";
import { apiVersionOf, type Kind } from "../../kinds/kind.ts";
import { namespacesKind } from "../../kinds/table.ts";
import type { LabelSelector } from "../../selectors/label-selector.ts";
import { selectorOf } from "../../selectors/object-selector.ts";
import { notFound } from "../../status.ts";
import type { Store, StoredObject } from "../../store.ts";
import type { Webhook, WebhookRule } from "../../webhook.ts";
import type { AdmissionRequest, AdmittedObjects } from "./admission-request.ts";

/** A webhook of a stored configuration. */
export interface ConfiguredWebhook {
  /** Identifies it among all webhooks. */
  readonly id: string;
  readonly webhook: Webhook;
  readonly selectsNamespace: LabelSelector | undefined;
  readonly selectsObject: LabelSelector | undefined;
}

const group = "admissionregistration.k8s.io";

const collections = {
  mutating: `mutatingwebhookconfigurations.${group}`,
  validating: `validatingwebhookconfigurations.${group}`,
} as const;

const known = new WeakMap<StoredObject, readonly ConfiguredWebhook[]>();

/** Returns the webhooks that could admit a request, in the order of their configurations' names. */
export function configuredWebhooks(
  store: Store,
  type: keyof typeof collections,
  { kind }: AdmissionRequest,
): readonly ConfiguredWebhook[] {
  const configurations = store.list(collections[type]);
  // A broken webhook must not prevent its own correction.
  if (configurations.length === 0 || kind.group === group) return [];
  return configurations.flatMap(webhooksOf);
}

/** Whether a store has configurations of webhooks. */
export function hasWebhooks(store: Store): boolean {
  return Object.values(collections).some((collection) => store.list(collection).length > 0);
}

function webhooksOf(configuration: StoredObject): readonly ConfiguredWebhook[] {
  const found = known.get(configuration);
  if (found !== undefined) return found;
  const list = configuration["webhooks"];
  const webhooks = (isArray(list) ? list.filter(isWebhook) : []).map((webhook) => ({
    id: `${configuration.metadata.name}/${webhook.name}`,
    webhook,
    selectsNamespace: selector(webhook.namespaceSelector),
    selectsObject: selector(webhook.objectSelector),
  }));
  known.set(configuration, webhooks);
  return webhooks;
}

/** Whether a value is a webhook: stored ones were validated. */
function isWebhook(value: unknown): value is Webhook {
  return isObject(value) && typeof value["name"] === "string" && isObject(value["clientConfig"]);
}

/** Returns the check of a selector; `undefined` if it matches everything. */
function selector(value: Webhook["objectSelector"]): LabelSelector | undefined {
  const terms = Object.keys(value?.matchLabels ?? {}).length + (value?.matchExpressions ?? []).length;
  return terms === 0 ? undefined : selectorOf(value);
}

/**
 * Returns the kind in whose version a webhook admits a request; `undefined` if it does not admit it.
 *
 * @throws StatusError 404 if its namespace does not exist
 */
export function versionFor(
  { store, kinds }: Pick<ApiScope, "store" | "kinds">,
  { webhook, selectsNamespace, selectsObject }: ConfiguredWebhook,
  { request, objects }: { readonly request: AdmissionRequest; readonly objects: AdmittedObjects },
): Kind | undefined {
  if (selectsObject !== undefined) {
    const candidates = [objects.object, objects.oldObject];
    if (!candidates.some((object) => object !== undefined && selectsObject(labelsOf(object)))) return undefined;
  }
  const version = versionsOf(kinds, request, webhook.matchPolicy).find((candidate) =>
    (webhook.rules ?? []).some((rule) => matchesRule(rule, request, candidate)),
  );
  if (version === undefined || selectsNamespace === undefined) return version;
  const { namespace } = request;
  // Cluster-scoped objects other than namespaces are always selected.
  if (namespace === undefined && request.kind.collection !== "namespaces") return version;
  return selectsNamespace(namespaceLabels(store, request, objects)) ? version : undefined;
}

/** Returns the kinds as which a request can be admitted, its own one first. */
function versionsOf(
  kinds: ApiScope["kinds"],
  { kind, subresource }: AdmissionRequest,
  matchPolicy: string | undefined,
): readonly Kind[] {
  if (matchPolicy === "Exact") return [kind];
  const others = kinds
    .allOfCollection(kind.collection)
    .filter(
      (other) =>
        apiVersionOf(other) !== apiVersionOf(kind) &&
        (subresource === undefined || other.subresources.some(({ name }) => name === subresource)),
    );
  return [kind, ...others];
}

function matchesRule(rule: WebhookRule, { operation, subresource = "", namespace }: AdmissionRequest, kind: Kind) {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope = "*" } = rule;
  const isNamespaced = namespace !== undefined && kind.collection !== "namespaces";
  return (
    (scope === "*" || (scope === "Namespaced") === isNamespaced) &&
    includes(operations, operation) &&
    includes(apiGroups, kind.group) &&
    includes(apiVersions, kind.version) &&
    resources.some((resource) => matchesResource(resource, kind.plural, subresource))
  );
}

function includes(values: readonly string[], value: string): boolean {
  return values.includes("*") || values.includes(value);
}

/** Whether `pods`, `pods/*`, `*` + `/status` and so on stand for a resource. Without a slash, subresources are not included. */
function matchesResource(pattern: string, plural: string, subresource: string): boolean {
  const slash = pattern.indexOf("/");
  const [name, part] = slash < 0 ? [pattern, ""] : [pattern.slice(0, slash), pattern.slice(slash + 1)];
  return (name === "*" || name === plural) && (part === "*" || part === subresource);
}

/** Returns the labels of a request's namespace; for a written namespace, the new ones. */
function namespaceLabels(store: Store, request: AdmissionRequest, { object }: AdmittedObjects) {
  const { kind, subresource, namespace = "" } = request;
  if (kind.collection === "namespaces" && subresource === undefined && object !== undefined) return labelsOf(object);
  const found = store.get("namespaces", undefined, namespace);
  if (found === undefined) throw notFound(namespacesKind, namespace);
  return found.metadata.labels;
}

function labelsOf({ metadata }: JsonObject): Readonly<Record<string, string>> | undefined {
  const labels = isObject(metadata) ? metadata["labels"] : undefined;
  return isLabels(labels) ? labels : undefined;
}

function isLabels(value: unknown): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every((label) => typeof label === "string");
}
