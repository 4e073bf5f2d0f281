import type { LimitRangeItem, LimitRangeSpec } from "kubernetes-types/core/v1.d.ts";
import { compareQuantities, parseQuantity, type Quantity } from "../../../values/quantity.ts";
import { one } from "../amounts.ts";
import type { Draft } from "../object.ts";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
} from "../validation/field-error.ts";
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
  // Its name matters to nobody.
  prepare({ metadata }, { random }) {
    if ((metadata.name ?? "") === "") metadata.name = random.uuid();
  },
  validate: ({ spec }) =>
    (spec.limits ?? []).flatMap((limit, index, all) => {
      const path = `spec.limits[${index}]`;
      const isRepeated = all.slice(0, index).some(({ type }) => type === limit.type);
      return [
        ...typeErrors(limit.type, `${path}.type`),
        ...(isRepeated ? [duplicate(`${path}.type`, limit.type)] : []),
        ...limitErrors(limit, path),
      ];
    }),
};

/** A container that says nothing may have the most, and asks for what it may have. */
function fillContainerLimit(limit: LimitRangeItem): void {
  const most = { ...limit.max, ...limit.default };
  const requests = { ...limit.min, ...most, ...limit.defaultRequest };
  if (Object.keys(most).length > 0) limit.default = most;
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
  const isEndless = limit.type === "PersistentVolumeClaim" && !("storage" in min) && !("storage" in max);
  return [
    ...lists.flatMap((list) => {
      const given = Object.keys(limit[list] ?? {});
      if (isPod && (list === "default" || list === "defaultRequest")) {
        const text = "may not be specified when `type` is 'Pod'";
        return given.length === 0 ? [] : [forbiddenField(`${path}.${list}`, text)];
      }
      const check = isPod || limit.type === "Container" ? containerResourceErrors : resourceErrors;
      return given.flatMap((name) => check(name, `${path}.${list}[${name}]`));
    }),
    ...(isEndless
      ? [
          required(
            `${path}.limits`,
            "either minimum or maximum storage value is required, but neither was provided",
          ),
        ]
      : []),
    ...[...names].flatMap((name) => orderErrors(limit, name, path)),
  ];
}

interface Amount {
  readonly text: string;
  readonly quantity: Quantity;
}

/** Which amounts of one resource contradict each other. */
function orderErrors(limit: LimitRangeItem, name: string, path: string): FieldError[] {
  const [max, min, most, request, ratio] = lists.map((list) => amountOf(limit[list]?.[name]));
  const field = (list: string) => `${path}.${list}[${name}]`;
  const texts = {
    minMax: "min value %1 is greater than max value %2",
    minRequest: "min value %1 is greater than default request value %2",
    requestMax: "default request value %1 is greater than max value %2",
    requestDefault: "default request value %1 is greater than default limit value %2",
    minDefault: "min value %1 is greater than default value %2",
    defaultMax: "default value %1 is greater than max value %2",
  };
  const refuse = (list: string, shown: Amount | undefined, fault: string | undefined): FieldError[] =>
    fault === undefined ? [] : [invalidValue(field(list), shown?.text, fault)];
  return [
    ...refuse("min", min, tooMuch(min, max, texts.minMax)),
    ...refuse("defaultRequest", request, tooMuch(min, request, texts.minRequest)),
    ...refuse("defaultRequest", request, tooMuch(request, max, texts.requestMax)),
    ...refuse("defaultRequest", request, tooMuch(request, most, texts.requestDefault)),
    ...refuse("default", min, tooMuch(min, most, texts.minDefault)),
    ...refuse("default", max, tooMuch(most, max, texts.defaultMax)),
    ...ratioErrors(ratio, { min, max, field: field("maxLimitRequestRatio") }),
  ];
}

function amountOf(text: string | undefined): Amount | undefined {
  const quantity = text === undefined ? undefined : parseQuantity(text);
  return text === undefined || quantity === undefined ? undefined : { text, quantity };
}

/** What is wrong when the first is more than the second. */
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
  const widest =
    min === undefined || max === undefined || min.quantity.nano === 0n
      ? Number.POSITIVE_INFINITY
      : Number(max.quantity.nano) / Number(min.quantity.nano);
  const isWide = Number(ratio.quantity.nano) / 1e9 > widest;
  return [
    ...(isSmall ? [invalidValue(field, ratio.text, `ratio ${ratio.text} is less than 1`)] : []),
    ...(isWide
      ? [
          invalidValue(
            field,
            ratio.text,
            `ratio ${ratio.text} is greater than max/min = ${widest.toFixed(6)}`,
          ),
        ]
      : []),
  ];
}
