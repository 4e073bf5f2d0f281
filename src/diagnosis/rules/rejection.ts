import { exceedsQuota } from "../../kube/exceeds-quota.ts";
import { isFields } from "../../values/fields.ts";
import type { CauseName } from "../causes.ts";
import type { Evidence } from "../diagnosis.ts";
import { quote } from "../evidence.ts";
import type { Rejection } from "../observation.ts";
import type { Finding, Rule } from "../rule.ts";
import { keys, keyWithin } from "../settings.ts";
import type { View } from "../view.ts";

/** Response of the API, and the matching row of the table. */
interface RejectionMatch extends Rejection {
  /** Message of the Status, or the complete text. */
  readonly text: string;
  readonly match: RegExpExecArray;
  readonly view: View;
}

type Explanation = Pick<Finding, "message" | "nextStep" | "key" | "isTerminal">;

/** Kind of rejection: the API's message and Firesteel's explanation. */
interface Row {
  readonly cause: CauseName;
  /** Status code; any if absent. */
  readonly statuses?: readonly number[];
  readonly pattern: RegExp;
  readonly remedy: string;
  readonly explain: (rejectionMatch: RejectionMatch) => Explanation;
}

/** Rejections in order of precedence: the first match applies, so specific reasons come first. */
const rows: readonly Row[] = [
  ...[{ statuses: [401], pattern: /[\s\S]*/ }, { pattern: /\bsystem:anonymous\b/ }].map(
    (when): Row => ({
      cause: "unauthorized",
      ...when,
      remedy: "Log in again, or renew the token or certificate of the kubeconfig.",
      explain: ({ status }) => ({
        message: `Unauthorized: the API server does not accept the credentials, or got none (status ${status}).`,
      }),
    }),
  ),
  {
    cause: "namespace-terminating",
    pattern: /because it is being terminated|namespace \S+ is being terminated/,
    remedy: "Wait until the namespace is deleted and create it again, or use another.",
    explain: ({ text, path }) => ({
      message: `The namespace ${namespaceIn(text, path)} is being deleted (terminated): nothing can be created in it.`,
      key: keys.namespace,
    }),
  },
  {
    cause: "quota-needs-limit",
    pattern: /failed quota: ([^:]+): must specify ([^\n]*)/,
    remedy: "Set the requests and limits that the quota requires.",
    explain: ({ match: [, quota = "", what = ""] }) => ({
      message: `The quota ${quota} requires that the pod sets ${what}.`,
      key: what.includes("cpu") ? keys.driverLimitCores : keys.template,
    }),
  },
  {
    cause: "quota-exceeded",
    pattern: /exceeded quota: ([^,]+), requested: (.*), used: (.*), limited: ([^\n]*)/,
    remedy: "Request less, wait until others finish, or raise the quota.",
    explain: ({ match: [, quota = "", requested = "", used = "", limited = ""] }) => ({
      message: `The quota ${quota} rejects the object: requested ${requested}, used ${used}, allowed ${limited}.`,
      isTerminal: exceedsQuota(requested, limited),
      key: /cpu/.test(requested) ? keys.driverRequestCores : /memory/.test(requested) ? keys.driverMemory : undefined,
    }),
  },
  {
    cause: "limit-range",
    pattern:
      /(?:maximum|minimum) (\S+) usage per (?:Container|Pod|PersistentVolumeClaim) is [^[\]\n]*|\S+ max limit to request ratio per [^[\]\n]*/,
    remedy: "Request what the LimitRange allows, or change the LimitRange.",
    explain: ({ match: [what], view }) => ({
      message: `A LimitRange of the namespace rejects the resources: ${what.replace(/\.$/, "")}.`,
      key: limitedKey(what, view),
    }),
  },
  {
    cause: "pod-security",
    pattern: /violates PodSecurity "([^"]+)": ([^\n]*)|unable to validate against any ([^\n]*)/,
    remedy: "Set the securityContext in the pod template, or use a namespace that allows more.",
    explain: ({ match: [, level, lacks = "", other = ""] }) => ({
      message:
        level === undefined
          ? `The security rules of the namespace reject the pod: ${other}`
          : `The namespace enforces Pod Security "${level}", which the pod violates: ${lacks}`,
      key: keys.template,
    }),
  },
  {
    cause: "priority-class-missing",
    pattern: /no PriorityClass with name (\S+) was found/,
    remedy: "Create the PriorityClass, or correct priorityClassName in the pod template.",
    explain: ({ match: [, name = ""] }) => ({
      message: `There is no PriorityClass named ${name}.`,
      key: keys.template,
    }),
  },
  {
    cause: "runtime-class-missing",
    pattern: /RuntimeClass(?:\.node\.k8s\.io)? "([^"]+)" not found/,
    remedy: "Create the RuntimeClass, or correct runtimeClassName in the pod template.",
    explain: ({ match: [, name = ""] }) => ({
      message: `There is no RuntimeClass named ${name}.`,
      key: keys.template,
    }),
  },
  {
    cause: "service-account-missing",
    pattern: /error looking up service account ([^/\s]+)\/([^:\s]+)|serviceaccount "([^"]+)" not found/,
    remedy: "Create the service account, or name another.",
    explain: ({ match: [, namespace = "", name, other = ""], path, text }) => ({
      message: `The service account ${name ?? other} of the driver does not exist in ${namespace || namespaceIn(text, path)}.`,
      key: keys.driverAccount,
    }),
  },
  {
    cause: "admission-webhook-failed",
    pattern: /failed calling (?:admission )?webhook "([^"]+)": ?([^\n]*)|failed to call webhook[^\n]*/,
    remedy: "Repair the webhook or ask its owner; the submission itself is fine.",
    explain: ({ match: [fullText, name = "", why = ""] }) => ({
      message: `The admission webhook ${name} cannot be called: ${why || fullText}`,
      isTerminal: false,
    }),
  },
  {
    cause: "admission-denied",
    pattern: /admission webhook "([^"]+)" denied the request(?::\s*(.*)| without explanation)?/s,
    remedy: "Follow the instructions in the message of the webhook.",
    explain: ({ match: [, name = "", why = ""] }) => ({
      message: `The admission webhook ${name} denies it: ${why.trim() || "it gives no reason"}`,
      key: /\bimage\b/i.test(why) ? keys.image : undefined,
    }),
  },
  {
    cause: "admission-denied",
    pattern: /ValidatingAdmissionPolicy '([^']+)'.* denied request: (.*)/s,
    remedy: "Follow the instructions in the message of the policy.",
    explain: ({ match: [, name = "", why = ""] }) => {
      const label = /\blabels? ['"]?([\w./-]+)/.exec(why)?.[1];
      return {
        message: `The admission policy ${name} denies it: ${why.trim()}`,
        key: label === undefined ? undefined : `${keys.driverLabel}${label}`,
      };
    },
  },
  {
    cause: "config-map-too-large",
    pattern: /ConfigMap.*Too long: (?:may not be more than|must have at most) (\d+) (?:bytes|characters)/s,
    remedy: "Remove files from SPARK_CONF_DIR, or lower the maximum size of the ConfigMap.",
    explain: ({ path, text, match: [, limit = ""] }) => ({
      message: `The ConfigMap ${/ConfigMap "([^"]+)"/.exec(text)?.[1] ?? lastOf(path)} is larger than ${limit} bytes.`,
      key: keys.configMapMaxSize,
    }),
  },
  ...[
    { statuses: [413], pattern: /[\s\S]*/ },
    {
      pattern: /Request entity too large[^\n]*|request is too large|trying to send message larger than max/i,
    },
  ].map(
    (when): Row => ({
      cause: "request-too-large",
      ...when,
      remedy: "Send less: put large files into the image, a volume or an object store.",
      explain: ({ path, status, text }) => ({
        message: `The request for ${lastOf(path)} is too large for the API server (status ${status}): ${text.trim()}`,
        key: /configmaps/.test(path) ? keys.configMapMaxSize : undefined,
      }),
    }),
  ),
  {
    cause: "name-taken",
    statuses: [409],
    pattern: /(\S+) "([^"]+)" already exists/,
    remedy: "Choose another name, or delete the object that has it.",
    explain: ({ match: [, kind = "", name = ""], path, text }) => ({
      message: `An object of that name exists already in ${namespaceIn(text, path)}: ${kind} "${name}".`,
      key: keys.driverPodName,
    }),
  },
  {
    cause: "namespace-missing",
    statuses: [404],
    pattern: /namespaces? "([^"]+)" not found/,
    remedy: "Create the namespace, or name another.",
    explain: ({ match: [, name = ""] }) => ({
      message: `The namespace ${name} does not exist.`,
      key: keys.namespace,
    }),
  },
  {
    cause: "api-type-missing",
    statuses: [404],
    pattern: /404 page not found|could not find the requested resource|no matches for kind "[^"]+"/,
    remedy: "Install the custom resource definition of the type, or remove the feature step that creates the object.",
    explain: ({ path }) => {
      const [, group = "", version = "", type = lastOf(path)] =
        /^\/apis\/([^/]+)\/([^/]+)\/(?:namespaces\/[^/]+\/)?([^/?]+)/.exec(path) ?? [];
      return {
        message: `The cluster does not know the type ${type} of ${group}/${version}.`,
        key: keys.featureSteps,
      };
    },
  },
  {
    cause: "forbidden",
    statuses: [403],
    pattern:
      /User "([^"]*)" cannot (\w+) resource "([^"]+)"(?: in API group "([^"]*)")?(?: in the namespace "([^"]+)"| at the cluster scope)?/,
    remedy: "Grant the permission to the account, or submit with another account.",
    explain: ({ match: [, user = "", verb = "", resource = "", group = "", namespace = ""] }) => ({
      message: `The account ${user} may not ${verb} ${resource}${group === "" ? "" : `.${group}`}${namespace === "" ? "" : ` in ${namespace}`}.`,
      nextStep: `Grant ${verb === "patch" ? "patch and create" : verb} on ${resource}${group === "" ? "" : `.${group}`} to ${user}.`,
      key: verb === "watch" ? keys.wait : resource === "networkpolicies" ? keys.exclude : undefined,
    }),
  },
  {
    cause: "invalid-object",
    statuses: [400, 422],
    pattern: /[\s\S]*/,
    remedy: "Correct the field that the message names.",
    explain: invalidMessage,
  },
  {
    cause: "admission-denied",
    statuses: [403],
    pattern: /is forbidden: ([\s\S]*)/,
    remedy: "Follow the instructions in the message.",
    explain: ({ match: [, why = ""] }) => ({ message: `The cluster rejects the object: ${why.trim()}` }),
  },
];

/** Finds the setting for the amount that a LimitRange rejects. */
function limitedKey(text: string, { properties }: View): string {
  const resource = /(\S+) (?:usage|max limit to request ratio) per/.exec(text)?.[1];
  if (resource === "memory") return keys.driverMemory;
  if (resource === "cpu") return /but request is/.test(text) ? keys.driverRequestCores : keys.driverLimitCores;
  if (resource !== "storage") return keys.template;
  return keyWithin(properties, keys.volume, (_size, name) => name.endsWith(".sizeLimit")) ?? keys.template;
}

function invalidMessage({ body, text, view }: RejectionMatch): Explanation {
  const causes = causesOf(body);
  const problems = causes.map(({ field, message }) => `${field}: ${message}`.replace(/ \(e\.g\. .*$/s, ""));
  const name = /^(\S+ "[^"]*") is invalid/.exec(text)?.[1];
  const fullText = problems.length === 0 ? text.trim() : problems.join("; ");
  return {
    message: `The API server rejects ${name ?? "the object"} as invalid: ${fullText}.`.replace(/\.\.$/, "."),
    key: causes.map((cause) => keyOf(cause, view)).find((key) => key !== undefined),
  };
}

interface StatusCause {
  readonly field: string;
  readonly message: string;
}

function causesOf(body: unknown): readonly StatusCause[] {
  const details = isFields(body) ? body["details"] : undefined;
  const causes = isFields(details) ? details["causes"] : undefined;
  return (Array.isArray(causes) ? causes : []).flatMap((cause: unknown) =>
    isFields(cause) && typeof cause["field"] === "string"
      ? [{ field: cause["field"], message: String(cause["message"] ?? "") }]
      : [],
  );
}

/** Finds the setting that a field of the driver's pod comes from. */
function keyOf({ field, message }: StatusCause, { properties }: View): string | undefined {
  const value = /"([^"]*)"/.exec(message)?.[1] ?? "";
  const within = (prefix: string) =>
    keyWithin(properties, prefix, (candidate, name) => candidate === value || name === value);
  if (field === "metadata.labels") return within(keys.driverLabel);
  if (field === "metadata.annotations") return within(keys.driverAnnotation);
  if (field === "spec.nodeSelector")
    return within(keys.driverNodeSelector) ?? within(keys.nodeSelector) ?? keys.template;
  if (/ports\[\d+\]\.\w*[pP]ort$/.test(field)) return portKey(message, properties) ?? keys.template;
  if (field === "metadata.name") return keys.driverPodName;
  if (field.endsWith(".mountPath")) return within(keys.volume) ?? keys.template;
  if (field.includes(".resources.")) return /cpu/.test(message) ? keys.driverLimitCores : keys.template;
  if (field.endsWith(".image")) return keys.image;
  return field.startsWith("spec.") ? keys.template : undefined;
}

function portKey(message: string, properties: View["properties"]): string | undefined {
  const port = /Invalid value: (\d+)/.exec(message)?.[1];
  return Object.keys(properties).find((key) => /\.port$/i.test(key) && properties[key] === port);
}

function namespaceIn(text: string, path: string): string {
  return /in namespace (\S+) because/.exec(text)?.[1] ?? /\/namespaces\/([^/?]+)/.exec(path)?.[1] ?? "";
}

function lastOf(path: string): string {
  return /([^/?]+)(?:\?.*)?$/.exec(path)?.[1] ?? path;
}

function textOf(body: unknown): string {
  if (typeof body === "string") return body;
  return isFields(body) && typeof body["message"] === "string" ? body["message"] : "";
}

function toRule({ cause, statuses, pattern, remedy, explain }: Row): Rule {
  return {
    cause,
    seen: `response of the API${statuses === undefined ? "" : ` with status ${statuses.join(" or ")}`}`,
    remedy,
    find: (view) => {
      const { rejection } = view;
      if (rejection === undefined || statuses?.includes(rejection.status) === false) return undefined;
      const text = textOf(rejection.body);
      const match = pattern.exec(text);
      if (match === null) return undefined;
      return { ...explain({ ...rejection, text, match, view }), evidence: [evidenceOf(match[0], rejection)] };
    },
  };
}

function evidenceOf(matched: string, { body, status }: Rejection): Evidence {
  const text = matched.trim() === "" ? textOf(body) : matched;
  return text.trim() === "" ? { in: "rejection", text: `"status": ${status}` } : quote("rejection", text);
}

/** Rules for the API server's rejections of the submission's objects. */
export const rejectionRules: readonly Rule[] = rows.map(toRule);
