import type { PodStatus } from "kubernetes-types/core/v1.d.ts";
import { type FieldError, invalidValue } from "../field-error.ts";
import { qualifiedName, subdomain } from "../names.ts";
import { ipFault } from "../numbers.ts";

/** Returns the errors of a pod's status. Source: Kubernetes 1.35, ValidatePodStatusUpdate. */
export function podStatusErrors(status: PodStatus, old: PodStatus): FieldError[] {
  const { conditions = [], podIPs = [], qosClass, nominatedNodeName: node = "" } = status;
  const generation = "observedGeneration" in status ? Number(status.observedGeneration) : 0;
  return [
    ...(node === "" ? [] : subdomain(node).map((fault) => invalidValue("status.nominatedNodeName", node, fault))),
    ...(generation < 0
      ? [invalidValue("status.observedGeneration", generation, "must be a non-negative integer")]
      : []),
    ...(qosClass === old.qosClass ? [] : [invalidValue("status.qosClass", qosClass ?? "", "field is immutable")]),
    ...podIPs.flatMap(({ ip = "" }, index) => {
      const fault = ipFault(ip);
      return fault === undefined ? [] : [invalidValue(`status.podIPs[${index}]`, ip, fault)];
    }),
    ...conditions.flatMap(({ type }, index) =>
      qualifiedName(type).map((fault) => invalidValue(`status.conditions[${index}].Type`, type, fault)),
    ),
  ];
}
