import type { IngressSpec, NetworkPolicySpec } from "kubernetes-types/networking/v1.d.ts";
import type { Draft } from "../object.ts";
import { type FieldError, invalidValue, notSupported, required } from "../validation/field-error.ts";
import { validateLabels } from "../validation/metadata.ts";
import type { Rules } from "./rules.ts";

type IngressObject = Draft & { spec: IngressSpec; status: object };
type PolicyObject = Draft & { spec: NetworkPolicySpec };
type SliceObject = Draft & {
  addressType: string;
  endpoints: { addresses: string[]; conditions?: object }[] | null;
  ports: { name?: string; protocol?: string }[] | null;
};
type EndpointsObject = Draft & { subsets?: { ports?: { protocol?: string }[] }[] };

/** The rules of Ingresses. */
export const ingressRules: Rules<IngressObject> = {
  hasStatus: true,
  generation: "spec",
  prepare(ingress) {
    ingress.status = { loadBalancer: {} };
  },
  validate: validateIngress,
  validateUpdate: validateIngress,
};

const pathTypes = ["Exact", "Prefix", "ImplementationSpecific"];

function validateIngress({ spec }: IngressObject): FieldError[] {
  if (spec.defaultBackend === undefined && (spec.rules ?? []).length === 0) {
    return [invalidValue("spec", null, "either `defaultBackend` or `rules` must be specified")];
  }
  return (spec.rules ?? []).flatMap(({ http }, rule) =>
    (http?.paths ?? []).flatMap(({ path = "", pathType }, index) => {
      const field = `spec.rules[${rule}].http.paths[${index}]`;
      if (pathType === undefined || pathType === "")
        return [required(`${field}.pathType`, "pathType must be specified")];
      if (!pathTypes.includes(pathType)) return [notSupported(`${field}.pathType`, pathType, pathTypes)];
      const isAbsolute = path.startsWith("/") || pathType === "ImplementationSpecific";
      return isAbsolute ? [] : [invalidValue(`${field}.path`, path, "must be an absolute path")];
    }),
  );
}

/** The rules of NetworkPolicies. */
export const networkPolicyRules: Rules<PolicyObject> = {
  generation: "spec",
  fill({ spec }) {
    const ports = [...(spec.ingress ?? []), ...(spec.egress ?? [])].flatMap((rule) => rule.ports ?? []);
    for (const port of ports) port.protocol ??= "TCP";
    spec.policyTypes ??= spec.egress === undefined ? ["Ingress"] : ["Ingress", "Egress"];
  },
  validate: validatePolicy,
  validateUpdate: validatePolicy,
};

function validatePolicy({ spec }: PolicyObject): FieldError[] {
  return validateLabels(spec.podSelector?.matchLabels, "spec.podSelector.matchLabels");
}

/** The rules of EndpointSlices. */
export const endpointSliceRules: Rules<SliceObject> = {
  generation: "spec",
  fill(slice) {
    for (const port of slice.ports ?? []) {
      port.name ??= "";
      port.protocol ??= "TCP";
    }
  },
  validate: ({ addressType }) =>
    addressType === ""
      ? [required("addressType")]
      : ["FQDN", "IPv4", "IPv6"].includes(addressType)
        ? []
        : [notSupported("addressType", addressType, ["FQDN", "IPv4", "IPv6"])],
};

/** The rules of Endpoints. */
export const endpointsRules: Rules<EndpointsObject> = {
  createsOnUpdate: true,
  fill({ subsets = [] }) {
    for (const port of subsets.flatMap(({ ports = [] }) => ports)) port.protocol ??= "TCP";
  },
};
