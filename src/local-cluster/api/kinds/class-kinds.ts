import type { IngressClassSpec } from "kubernetes-types/networking/v1.d.ts";
import type { Overhead, Scheduling } from "kubernetes-types/node/v1.d.ts";
import { isSame } from "../json.ts";
import type { Draft } from "../object.ts";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from "../validation/field-error.ts";
import { validateLabels } from "../validation/metadata.ts";
import { dnsLabel, domainPrefixedPathErrors, pathSegment, subdomain } from "../validation/names.ts";
import { validateResources } from "../validation/pod/resources.ts";
import { validateTolerations } from "../validation/pod/scheduling.ts";
import type { Rules } from "./rules.ts";

type RuntimeClassObject = Draft & { handler: string; overhead?: Overhead; scheduling?: Scheduling };
type IngressClassObject = Draft & { spec: IngressClassSpec };

/** The rules of RuntimeClasses. */
export const runtimeClassRules: Rules<RuntimeClassObject> = {
  needsRevision: true,
  validate: (object) => runtimeClassErrors(object),
  validateUpdate: (next, old) => [
    ...runtimeClassErrors(next),
    ...(next.handler === old.handler ? [] : [invalidValue("handler", next.handler, "field is immutable")]),
  ],
};

function runtimeClassErrors({ handler = "", overhead, scheduling }: RuntimeClassObject): FieldError[] {
  const { nodeSelector, tolerations = [] } = scheduling ?? {};
  return [
    ...dnsLabel(handler).map((fault) => invalidValue("handler", handler, fault)),
    ...(overhead?.podFixed === undefined ? [] : validateResources({ limits: overhead.podFixed }, "overhead")),
    ...validateLabels(nodeSelector, "scheduling.nodeSelector"),
    ...validateTolerations(tolerations, "scheduling.tolerations"),
    ...tolerations.flatMap((toleration, index) => {
      const isKnown = tolerations.slice(0, index).some((other) => isSameToleration(other, toleration));
      return isKnown ? [duplicate(`scheduling.tolerations[${index}]`, toleration)] : [];
    }),
  ];
}

type Tolerations = NonNullable<Scheduling["tolerations"]>;

function isSameToleration(a: Tolerations[number], b: Tolerations[number]): boolean {
  const { tolerationSeconds: _a, ...left } = a;
  const { tolerationSeconds: _b, ...right } = b;
  return isSame(left, right);
}

const maxControllerBytes = 250;

/** The rules of IngressClasses. */
export const ingressClassRules: Rules<IngressClassObject> = {
  generation: "spec",
  fill({ spec }) {
    if (spec?.parameters !== undefined) spec.parameters.scope ??= "Cluster";
  },
  validate: ({ spec }) => ingressClassErrors(spec),
  validateUpdate: ({ spec }, old) => [
    ...(spec.controller === old.spec.controller
      ? []
      : [invalidValue("spec.controller", spec.controller ?? "", "field is immutable")]),
    ...ingressClassErrors(spec),
  ],
};

function ingressClassErrors({ controller = "", parameters }: IngressClassSpec = {}): FieldError[] {
  return [
    ...(controller.length > maxControllerBytes ? [tooLong("spec.controller", maxControllerBytes)] : []),
    ...domainPrefixedPathErrors(controller, "spec.controller"),
    ...(parameters === undefined ? [] : parameterErrors(parameters, "spec.parameters")),
  ];
}

function parameterErrors(
  { apiGroup, kind = "", name = "", scope, namespace }: NonNullable<IngressClassSpec["parameters"]>,
  path: string,
): FieldError[] {
  const named = (field: string, value: string) =>
    value === ""
      ? [required(`${path}.${field}`)]
      : pathSegment(value).map((fault) => invalidValue(`${path}.${field}`, value, fault));
  const groupFaults = apiGroup === undefined ? [] : subdomain(apiGroup);
  return [
    ...groupFaults.map((fault) => invalidValue(`${path}.apiGroup`, apiGroup, fault)),
    ...named("kind", kind),
    ...named("name", name),
    ...scopeErrors({ scope, namespace }, path),
  ];
}

function scopeErrors(
  { scope = "", namespace }: { readonly scope: string | undefined; readonly namespace: string | undefined },
  path: string,
): FieldError[] {
  const field = `${path}.namespace`;
  if (scope === "Namespace" && namespace === undefined)
    return [required(field, "`parameters.scope` is set to 'Namespace'")];
  if (scope === "Namespace") return dnsLabel(namespace ?? "").map((fault) => invalidValue(field, namespace, fault));
  if (scope !== "Cluster") return [notSupported(`${path}.scope`, scope, ["Cluster", "Namespace"])];
  return namespace === undefined ? [] : [forbiddenField(field, "`parameters.scope` is set to 'Cluster'")];
}
