import type { Webhook, WebhookAddress, WebhookRule, WebhookService } from "../webhook.ts";
import { duplicate, type FieldError, forbiddenField, invalidValue, notSupported, required } from "./field-error.ts";
import { labelSelectorErrors } from "./label-selectors.ts";
import { dns1035Label, subdomain } from "./names.ts";
import { portFault } from "./numbers.ts";

/**
 * Returns the errors of the webhooks of a configuration.
 *
 * Source: Kubernetes 1.35, validation of admissionregistration.
 */
export function webhookErrors(webhooks: readonly Webhook[]): FieldError[] {
  const names = new Set<string>();
  return webhooks.flatMap((webhook, index) => {
    const path = `webhooks[${index}]`;
    const isRepeated = names.has(webhook.name);
    if (webhook.name !== "") names.add(webhook.name);
    return [
      ...nameErrors(webhook.name, `${path}.name`),
      ...(webhook.rules ?? []).flatMap((rule, at) => ruleErrors(rule, `${path}.rules[${at}]`)),
      ...policyErrors(webhook, path),
      ...labelSelectorErrors(webhook.namespaceSelector, `${path}.namespaceSelector`),
      ...labelSelectorErrors(webhook.objectSelector, `${path}.objectSelector`),
      ...webhookAddressErrors(webhook.clientConfig, `${path}.clientConfig`),
      ...((webhook.matchConditions ?? []).length === 0
        ? []
        : [forbiddenField(`${path}.matchConditions`, "the embedded cluster does not support match conditions (CEL)")]),
      ...reviewVersionErrors(
        webhook.admissionReviewVersions ?? [],
        `${path}.admissionReviewVersions`,
        `must specify one of ${reviewVersions}`,
      ),
      ...(isRepeated ? [duplicate(`${path}.name`, webhook.name)] : []),
    ];
  });
}

function nameErrors(name: string, field: string): FieldError[] {
  if (name === "") return [required(field)];
  const faults = subdomain(name);
  if (faults.length > 0) return [invalidValue(field, name, faults.join(","))];
  const text = "should be a domain with at least three segments separated by dots";
  return name.split(".").length < 3 ? [invalidValue(field, name, text)] : [];
}

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

function ruleErrors(rule: WebhookRule, path: string): FieldError[] {
  const { operations: listed = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  return [
    ...listErrors(listed, `${path}.operations`, "operations"),
    ...listed.flatMap((operation, index) =>
      operations.includes(operation) ? [] : [notSupported(`${path}.operations[${index}]`, operation, operations)],
    ),
    ...listErrors(apiGroups, `${path}.apiGroups`, "API groups"),
    ...listErrors(apiVersions, `${path}.apiVersions`, "API versions"),
    ...apiVersions.flatMap((version, index) => (version === "" ? [required(`${path}.apiVersions[${index}]`)] : [])),
    ...resourceErrors(resources, `${path}.resources`),
    ...supported(scope, `${path}.scope`, ["*", "Cluster", "Namespaced"]),
  ];
}

/** Returns the errors of a list that must not be empty, and whose `*` must be its only item. */
function listErrors(values: readonly string[], field: string, what: string): FieldError[] {
  if (values.length === 0) return [required(field)];
  const isMixed = values.length > 1 && values.includes("*");
  return isMixed ? [invalidValue(field, values, `if '*' is present, must not specify other ${what}`)] : [];
}

function resourceErrors(resources: readonly string[], field: string): FieldError[] {
  const anySubresource = new Set<string>();
  const anyResource = new Set<string>();
  const errors = resources.length === 0 ? [required(field)] : [];
  for (const [index, resource] of resources.entries()) {
    const at = `${field}[${index}]`;
    if (resource === "") errors.push(required(at));
    const slash = resource.indexOf("/");
    if (slash < 0) continue;
    const [name, part] = [resource.slice(0, slash), resource.slice(slash + 1)];
    const present = (pattern: string) => `if '${pattern}' is present, must not specify ${resource}`;
    if (anySubresource.has(name)) errors.push(invalidValue(at, resource, present(`${name}/*`)));
    if (anyResource.has(part)) errors.push(invalidValue(at, resource, present(`*/${part}`)));
    if (part === "*") anySubresource.add(name);
    if (name === "*") anyResource.add(part);
  }
  if (resources.length > 1 && resources.includes("*/*"))
    errors.push(invalidValue(field, resources, "if '*/*' is present, must not specify other resources"));
  // Kubernetes considers only the last resource without a subresource.
  const last = resources.findLast((resource) => resource !== "" && !resource.includes("/"));
  const text = "if '*' is present, must not specify other resources without subresources";
  if (resources.includes("*") && last !== "*") errors.push(invalidValue(field, resources, text));
  return errors;
}

function policyErrors(webhook: Webhook, path: string): FieldError[] {
  const { failurePolicy, matchPolicy, sideEffects, timeoutSeconds, reinvocationPolicy } = webhook;
  const effects = ["None", "NoneOnDryRun"];
  const seconds = timeoutSeconds ?? 1;
  const timeout = `${path}.timeoutSeconds`;
  return [
    ...supported(failurePolicy, `${path}.failurePolicy`, ["Fail", "Ignore"]),
    ...supported(matchPolicy, `${path}.matchPolicy`, ["Equivalent", "Exact"]),
    ...(sideEffects === undefined || sideEffects === null
      ? [required(`${path}.sideEffects`, `must specify one of ${effects.join(", ")}`)]
      : supported(sideEffects, `${path}.sideEffects`, effects)),
    ...(seconds < 1 || seconds > 30
      ? [invalidValue(timeout, seconds, "the timeout value must be between 1 and 30 seconds")]
      : []),
    ...supported(reinvocationPolicy, `${path}.reinvocationPolicy`, ["IfNeeded", "Never"]),
  ];
}

function supported(value: string | undefined, field: string, values: readonly string[]): FieldError[] {
  return value === undefined || values.includes(value) ? [] : [notSupported(field, value, values)];
}

/** Returns the errors of a webhook's address. */
export function webhookAddressErrors({ url, service }: WebhookAddress, path: string): FieldError[] {
  if (url !== undefined && service === undefined) return urlErrors(url, `${path}.url`);
  if (url === undefined && service !== undefined) return serviceErrors(service, `${path}.service`);
  return [required(path, "exactly one of url or service is required")];
}

function urlErrors(text: string, field: string): FieldError[] {
  const form = "; desired format: https://host[/path]";
  // URL rejects an empty host, for which Kubernetes has a message of its own.
  const [, scheme = "", authority = ""] = /^([A-Za-z][A-Za-z0-9+.-]*):(?:\/\/([^/?#]*))?/.exec(text) ?? [];
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  if (host !== "" && !URL.canParse(text)) return [required(field, `url must be a valid URL: ${text}${form}`)];
  const parsed = host === "" ? undefined : new URL(text);
  return [
    ...(scheme.toLowerCase() === "https"
      ? []
      : [invalidValue(field, scheme, `'https' is the only allowed URL scheme${form}`)]),
    ...(host === "" ? [invalidValue(field, "", `host must be specified${form}`)] : []),
    ...(authority.includes("@") ? [invalidValue(field, "", "user information is not permitted in the URL")] : []),
    ...((parsed?.hash ?? "").length > 1
      ? [invalidValue(field, parsed?.hash.slice(1), "fragments are not permitted in the URL")]
      : []),
    ...((parsed?.search ?? "").length > 1
      ? [invalidValue(field, parsed?.search.slice(1), "query parameters are not permitted in the URL")]
      : []),
  ];
}

function serviceErrors({ name, namespace, port = 443, path }: WebhookService, field: string): FieldError[] {
  const fault = portFault(port);
  return [
    ...(name === "" ? [required(`${field}.name`)] : []),
    ...(namespace === "" ? [required(`${field}.namespace`)] : []),
    ...(fault === undefined ? [] : [invalidValue(`${field}.port`, port, `port is not valid: ${fault}`)]),
    ...pathErrors(path ?? "", `${field}.path`),
  ];
}

function pathErrors(path: string, field: string): FieldError[] {
  if (path === "" || path === "/") return [];
  if (path === "//") return [invalidValue(field, path, "segment[0] may not be empty")];
  const start = path.startsWith("/") ? [] : [invalidValue(field, path, "must start with a '/'")];
  const segments = path.slice(1).replace(/\/$/, "").split("/");
  return [
    ...start,
    ...segments.flatMap((segment, index) => {
      if (segment === "") return [invalidValue(field, path, `segment[${index}] may not be empty`)];
      return subdomain(segment).map((fault) => invalidValue(field, path, `segment[${index}]: ${fault}`));
    }),
  ];
}

/** Versions of AdmissionReview and ConversionReview that Kubernetes accepts, as its messages list them. */
const reviewVersions = "v1, v1beta1";

/** Returns the errors of the versions of reviews that a webhook accepts. @param whenEmpty message if there are none */
export function reviewVersionErrors(versions: readonly string[], field: string, whenEmpty?: string): FieldError[] {
  if (versions.length === 0) return [required(field, whenEmpty)];
  const errors = versions.flatMap((version, index) => {
    const at = `${field}[${index}]`;
    if (versions.indexOf(version) < index) return [invalidValue(at, version, "duplicate version")];
    return dns1035Label(version).map((fault) => invalidValue(at, version, fault));
  });
  // This API sends version v1 only; every webhook that is written for Kubernetes 1.16 or later accepts it.
  if (versions.includes("v1")) return errors;
  const text = versions.includes("v1beta1")
    ? "the embedded cluster sends only v1, so it must be included"
    : `must include at least one of ${reviewVersions}`;
  return [...errors, invalidValue(field, versions, text)];
}
