import type { Endpoints } from "kubernetes-types/core/v1.d.ts";
import type { Endpoint, EndpointPort } from "kubernetes-types/discovery/v1.d.ts";
import type { IngressSpec, NetworkPolicySpec } from "kubernetes-types/networking/v1.d.ts";
import type { Draft } from "../object.ts";
import { sliceErrors, subsetErrors } from "../validation/endpoints.ts";
import { invalidValue } from "../validation/field-error.ts";
import { ingressErrors, networkPolicyErrors } from "../validation/network.ts";
import type { Rules } from "./rules.ts";

type IngressObject = Draft & { spec: IngressSpec; status: object };
type PolicyObject = Draft & { spec: NetworkPolicySpec };
type SliceObject = Draft & {
  addressType: string;
  endpoints: Endpoint[] | null;
  ports: EndpointPort[] | null;
};
type EndpointsObject = Draft & { subsets?: NonNullable<Endpoints["subsets"]> };

/** The rules of Ingresses. */
export const ingressRules: Rules<IngressObject> = {
  hasStatus: true,
  generation: "spec",
  prepare(ingress) {
    ingress.status = { loadBalancer: {} };
  },
  validate: ({ spec }) => ingressErrors(spec),
  validateUpdate: ({ spec }) => ingressErrors(spec),
};

/** The rules of NetworkPolicies. */
export const networkPolicyRules: Rules<PolicyObject> = {
  generation: "spec",
  fill({ spec }) {
    const ports = [...(spec.ingress ?? []), ...(spec.egress ?? [])].flatMap((rule) => rule.ports ?? []);
    for (const port of ports) port.protocol ??= "TCP";
    spec.policyTypes ??= spec.egress === undefined ? ["Ingress"] : ["Ingress", "Egress"];
  },
  validate: ({ spec }) => networkPolicyErrors(spec),
  validateUpdate: ({ spec }) => networkPolicyErrors(spec),
};

/** The rules of EndpointSlices. */
export const endpointSliceRules: Rules<SliceObject> = {
  generation: "spec",
  fill(slice) {
    for (const port of slice.ports ?? []) {
      port.name ??= "";
      port.protocol ??= "TCP";
    }
  },
  validate: (slice, { addresses }) => sliceErrors(slice, addresses),
  validateUpdate: (slice, old, { addresses }) =>
    slice.addressType === old.addressType
      ? sliceErrors(slice, addresses)
      : [invalidValue("addressType", slice.addressType, "field is immutable")],
  warn: ({ addressType }) => (addressType === "FQDN" ? ["spec.addressType: FQDN endpoints are deprecated"] : []),
};

/** The rules of Endpoints. */
export const endpointsRules: Rules<EndpointsObject> = {
  createsOnUpdate: true,
  fill({ subsets = [] }) {
    for (const port of subsets.flatMap(({ ports = [] }) => ports)) port.protocol ??= "TCP";
  },
  validate: ({ subsets = [] }, { addresses }) => subsetErrors(subsets, addresses),
};
