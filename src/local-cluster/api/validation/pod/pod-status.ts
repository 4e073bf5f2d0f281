import type { PodStatus } from "kubernetes-types/core/v1.d.ts";
import { type FieldError, invalidValue } from "../field-error.ts";
import { qualifiedName } from "../names.ts";
import { ipFault } from "../numbers.ts";

/** Returns the errors of a pod's status. */
export function podStatusErrors({ conditions = [], podIPs = [] }: PodStatus): FieldError[] {
  return [
    ...podIPs.flatMap(({ ip = "" }, index) => {
      const fault = ipFault(ip);
      return fault === undefined ? [] : [invalidValue(`status.podIPs[${index}]`, ip, fault)];
    }),
    ...conditions.flatMap(({ type }, index) =>
      qualifiedName(type).map((fault) => invalidValue(`status.conditions[${index}].Type`, type, fault)),
    ),
  ];
}
