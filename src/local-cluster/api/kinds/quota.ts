import type { ResourceQuotaSpec, ResourceQuotaStatus } from "kubernetes-types/core/v1.d.ts";
import { parseQuantity } from "../../../values/quantity.ts";
import { isSame } from "../json.ts";
import type { Draft } from "../object.ts";
import { type FieldError, invalidValue } from "../validation/field-error.ts";
import { scopeErrors } from "../validation/quota-scopes.ts";
import { isCounted, quotaResourceErrors } from "../validation/resource-names.ts";
import type { Rules } from "./rules.ts";

type QuotaObject = Draft & { spec: ResourceQuotaSpec; status: ResourceQuotaStatus };

/** The rules of ResourceQuotas. */
export const quotaRules: Rules<QuotaObject> = {
  hasStatus: true,
  showsDeleted: true,
  prepare(quota) {
    quota.status = {};
  },
  validate: ({ spec }) => [...amountErrors(spec.hard, "spec.hard"), ...scopeErrors(spec)],
  validateStatus: ({ status }) => [
    ...amountErrors(status.hard, "status.hard"),
    ...amountErrors(status.used, "status.used"),
  ],
  validateUpdate: ({ spec }, old) => [
    ...amountErrors(spec.hard, "spec.hard"),
    ...scopeErrors(spec),
    ...(isSame(spec.scopes ?? [], old.spec.scopes ?? [])
      ? []
      : [invalidValue("spec.scopes", spec.scopes ?? null, "field is immutable")]),
  ],
};

function amountErrors(amounts: ResourceQuotaSpec["hard"] = {}, path: string): FieldError[] {
  return Object.entries(amounts).flatMap(([name, amount]) => {
    const field = `${path}[${name}]`;
    const nano = parseQuantity(amount)?.nano ?? 0n;
    return [
      ...quotaResourceErrors(name, field),
      ...(nano < 0n ? [invalidValue(field, amount, "must be greater than or equal to 0")] : []),
      ...(isCounted(name) && nano % 1_000_000_000n !== 0n ? [invalidValue(field, amount, "must be an integer")] : []),
    ];
  });
}
