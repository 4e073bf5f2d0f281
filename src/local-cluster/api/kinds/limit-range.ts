import type { LimitRangeItem, LimitRangeSpec } from "kubernetes-types/core/v1.d.ts";
import { one } from "../../../kube/amounts.ts";
import { ownMember } from "../../../values/own-member.ts";
import { compareQuantities, parseQuantity, type Quantity } from "../../../values/quantity.ts";
import type { Draft } from "../object.ts";
import { duplicate, type FieldError, forbiddenField, invalidValue, required } from "../validation/field-error.ts";
import { qualifiedName } from "../validation/names.ts";
import { containerResourceErrors, resourceErrors } from "../validation/resource-names.ts";
import type { Rules } from "./rules.ts";

type LimitRangeObject = Draft & { spec: LimitRangeSpec };

const types: readonly string[] = ["Pod", "Container", "PersistentVolumeClaim"];

/** The rules of LimitRanges. */
export const limitRangeRules: Rules<LimitRangeObject> = {
  createsOnUpdate: true,
  fill({ spec }) {
    for (const limit of spec.limits ?? []) {
      if (limit.type === "Container") fillContainerLimit(limit);
    }
  },
  // Unlike other kinds, limit ranges get a name if they have none.
  prepare({ metadata }, { random }) {
    if ((metadata.name ?? "") === "") metadata.name = random.uuid();
  },
  validate({ spec }) {
    const known = new Set<string>();
    return (spec.limits ?? []).flatMap((limit, index) => {
      const path = `spec.limits[${index}]`;
      const isRepeated = known.has(limit.type);
      known.add(limit.type);
      return [
        ...typeErrors(limit.type, `${path}.type`),
        ...(isRepeated ? [duplicate(`${path}.type`, limit.type)] : []),
        ...limitErrors(limit, path),
      ];
    });
  },
};

/** Sets the defaults of containers: maximums as limits, limits as requests. */
function fillContainerLimit(limit: LimitRangeItem): void {
  const limits = { ...limit.max, ...limit.default };
  const requests = { ...limit.min, ...limits, ...limit.defaultRequest };
  if (Object.keys(limits).length > 0) limit.default = limits;
  if (Object.keys(requests).length > 0) limit.defaultRequest = requests;
}

function typeErrors(type: string, field: string): FieldError[] {
  const faults = qualifiedName(type);
  if (faults.length > 0) return faults.map((fault) => invalidValue(field, type, fault));
  if (type.includes("/") || types.includes(type)) return [];
  return [invalidValue(field, type, "must be a standard limit type or fully qualified")];
}

const lists = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;

function limitErrors(limit: LimitRangeItem, path: string): FieldError[] {
  const isPod = limit.type === "Pod";
  const names = new Set(lists.flatMap((list) => Object.keys(limit[list] ?? {})));
  const { min = {}, max = {} } = limit;
  const isUnlimited = limit.type === "PersistentVolumeClaim" && !("storage" in min) && !("storage" in max);
  return [
    ...lists.flatMap((list) => {
      const resourceNames = Object.keys(limit[list] ?? {});
      if (isPod && (list === "default" || list === "defaultRequest")) {
        const text = "may not be specified when `type` is 'Pod'";
        return resourceNames.length === 0 ? [] : [forbiddenField(`${path}.${list}`, text)];
      }
      const check = isPod || limit.type === "Container" ? containerResourceErrors : resourceErrors;
      return resourceNames.flatMap((name) => check(name, `${path}.${list}[${name}]`));
    }),
    ...(isUnlimited
      ? [required(`${path}.limits`, "either minimum or maximum storage value is required, but neither was provided")]
      : []),
    ...[...names].flatMap((name) => orderErrors(limit, name, path)),
  ];
}

interface Amount {
  readonly text: string;
  readonly quantity: Quantity;
}

/** Returns the contradictions between the amounts of one resource. */
function orderErrors(item: LimitRangeItem, name: string, path: string): FieldError[] {
  const [max, min, limit, request, ratio] = lists.map((list) => amountOf(ownMember(item[list] ?? {}, name)));
  const field = (list: string) => `${path}.${list}[${name}]`;
  const texts = {
    minMax: "min value %1 is greater than max value %2",
    minRequest: "min value %1 is greater than default request value %2",
    requestMax: "default request value %1 is greater than max value %2",
    requestDefault: "default request value %1 is greater than default limit value %2",
    minDefault: "min value %1 is greater than default value %2",
    defaultMax: "default value %1 is greater than max value %2",
  };
  const errorsFor = (list: string, shown: Amount | undefined, fault: string | undefined): FieldError[] =>
    fault === undefined ? [] : [invalidValue(field(list), shown?.text, fault)];
  return [
    ...errorsFor("min", min, tooMuch(min, max, texts.minMax)),
    ...errorsFor("defaultRequest", request, tooMuch(min, request, texts.minRequest)),
    ...errorsFor("defaultRequest", request, tooMuch(request, max, texts.requestMax)),
    ...errorsFor("defaultRequest", request, tooMuch(request, limit, texts.requestDefault)),
    ...errorsFor("default", min, tooMuch(min, limit, texts.minDefault)),
    ...errorsFor("default", max, tooMuch(limit, max, texts.defaultMax)),
    ...ratioErrors(ratio, { min, max, field: field("maxLimitRequestRatio") }),
  ];
}

function amountOf(text: string | undefined): Amount | undefined {
  const quantity = text === undefined ? undefined : parseQuantity(text);
  return text === undefined || quantity === undefined ? undefined : { text, quantity };
}

/** Returns the message if the first amount exceeds the second. */
function tooMuch(first: Amount | undefined, second: Amount | undefined, text: string): string | undefined {
  if (first === undefined || second === undefined) return undefined;
  if (compareQuantities(first.quantity, second.quantity) <= 0) return undefined;
  return text.replace("%1", first.text).replace("%2", second.text);
}

function ratioErrors(
  ratio: Amount | undefined,
  { min, max, field }: { min: Amount | undefined; max: Amount | undefined; field: string },
): FieldError[] {
  if (ratio === undefined) return [];
  const isSmall = compareQuantities(ratio.quantity, one) < 0;
  const maxRatio =
    min === undefined || max === undefined || min.quantity.nano === 0n
      ? Number.POSITIVE_INFINITY
      : Number(max.quantity.nano) / Number(min.quantity.nano);
  const isWide = Number(ratio.quantity.nano) / 1e9 > maxRatio;
  return [
    ...(isSmall ? [invalidValue(field, ratio.text, `ratio ${ratio.text} is less than 1`)] : []),
    ...(isWide
      ? [invalidValue(field, ratio.text, `ratio ${ratio.text} is greater than max/min = ${maxRatio.toFixed(6)}`)]
      : []),
  ];
}
