import type { Draft } from "../object.ts";
import { timestamp } from "../timestamp.ts";
import { type FieldError, invalidValue, required } from "../validation/field-error.ts";
import { dns1035Label, pathSegment, subdomain } from "../validation/names.ts";
import { portFault } from "../validation/numbers.ts";
import type { Rules } from "./rules.ts";

/** The API group of APIServices. */
export const apiServiceGroup = "apiregistration.k8s.io";

/** The name of a server for one version of an API group. Source: Kubernetes 1.35, kube-aggregator, apiregistration/v1. */
interface ApiServiceSpec {
  readonly group?: string;
  readonly version?: string;
  /** Absent if this server serves the version itself. */
  readonly service?: { readonly namespace?: string; readonly name?: string; port?: number };
  readonly caBundle?: string;
  readonly insecureSkipTLSVerify?: boolean;
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
}

/** An APIService. */
export type ApiServiceObject = Draft & { spec: ApiServiceSpec; status?: { conditions?: readonly unknown[] } };

/** The rules of APIServices. Requests are never passed on to other servers, as the status says. */
export const apiServiceRules: Rules<ApiServiceObject> = {
  name: pathSegment,
  hasStatus: true,
  fill({ spec }) {
    if (spec.service !== undefined) spec.service.port ??= 443;
  },
  prepare(object, { clock }) {
    object.status = apiServiceStatus(object.spec, timestamp(clock.now()));
  },
  validate: (object) => apiServiceErrors(object),
  validateUpdate: (next) => apiServiceErrors(next),
};

/** Returns the status of an APIService from a time on. */
export function apiServiceStatus(
  { service }: ApiServiceSpec,
  time: string,
): { readonly conditions: readonly unknown[] } {
  const state =
    service === undefined
      ? { reason: "Local", message: "Local APIServices are always available", status: "True" }
      : {
          reason: "NotSupported",
          message: "This cluster does not pass requests on to other API servers",
          status: "False",
        };
  return { conditions: [{ lastTransitionTime: time, ...state, type: "Available" }] };
}

function apiServiceErrors({ metadata, spec }: ApiServiceObject): FieldError[] {
  const { group = "", version = "", groupPriorityMinimum, versionPriority } = spec;
  const name = `${version}.${group}`;
  const withoutGroup =
    group === "" && version !== "v1"
      ? [required("spec.group", "only v1 may have an empty group and it better be legacy kube")]
      : [];
  return [
    ...(metadata.name === name
      ? []
      : [invalidValue("metadata.name", metadata.name, `must be \`spec.version+"."+spec.group\`: "${name}"`)]),
    ...(group === "" ? withoutGroup : subdomain(group).map((fault) => invalidValue("spec.group", group, fault))),
    ...dns1035Label(version).map((fault) => invalidValue("spec.version", version, fault)),
    ...priorityErrors("spec.groupPriorityMinimum", groupPriorityMinimum, 20_000),
    ...priorityErrors("spec.versionPriority", versionPriority, 1000),
    ...(spec.service === undefined ? localErrors(spec) : serviceErrors(spec, spec.service)),
  ];
}

function priorityErrors(field: string, value: number, maximum: number): FieldError[] {
  return value > 0 && value <= maximum ? [] : [invalidValue(field, value, `must be positive and less than ${maximum}`)];
}

function localErrors({ caBundle = "", insecureSkipTLSVerify = false }: ApiServiceSpec): FieldError[] {
  const bytes = `${Buffer.from(caBundle, "base64").length} bytes`;
  return [
    ...(caBundle === "" ? [] : [invalidValue("spec.caBundle", bytes, "local APIServices may not have a caBundle")]),
    ...(insecureSkipTLSVerify
      ? [invalidValue("spec.insecureSkipTLSVerify", true, "local APIServices may not have insecureSkipTLSVerify")]
      : []),
  ];
}

function serviceErrors(
  { caBundle = "", insecureSkipTLSVerify = false }: ApiServiceSpec,
  { name = "", namespace = "", port = 443 }: NonNullable<ApiServiceSpec["service"]>,
): FieldError[] {
  const fault = portFault(port);
  return [
    ...(namespace === "" ? [required("spec.service.namespace")] : []),
    ...(name === "" ? [required("spec.service.name")] : []),
    ...(fault === undefined ? [] : [invalidValue("spec.service.port", port, `port is not valid: ${fault}`)]),
    ...(insecureSkipTLSVerify && caBundle !== ""
      ? [invalidValue("spec.insecureSkipTLSVerify", true, "may not be true if caBundle is present")]
      : []),
  ];
}
