import type {
  Affinity,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
  Toleration,
  TopologySpreadConstraint,
} from "kubernetes-types/core/v1.d.ts";
import { type FieldError, forbiddenField, invalidValue, notSupported, required } from "../field-error.ts";
import { labelSelectorErrors } from "../label-selectors.ts";
import { dnsLabel, labelValue, qualifiedName } from "../names.ts";

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const operators = ["Equal", "Exists"];

/** Returns the errors of tolerations. */
export function validateTolerations(tolerations: readonly Toleration[], path: string): FieldError[] {
  return tolerations.flatMap(({ key = "", operator = "", value = "", effect = "", tolerationSeconds }, index) => {
    const field = `${path}[${index}]`;
    const errors: FieldError[] = [];
    if (key !== "") errors.push(...qualifiedName(key).map((fault) => invalidValue(`${field}.key`, key, fault)));
    if (key === "" && operator !== "Exists") {
      const text = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      errors.push(invalidValue(`${field}.operator`, operator, text));
    }
    if (tolerationSeconds !== undefined && effect !== "NoExecute") {
      errors.push(
        invalidValue(`${field}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"),
      );
    }
    if (operator === "" || operator === "Equal") {
      const [fault] = labelValue(value);
      if (fault !== undefined) errors.push(invalidValue(`${field}.operator`, value, fault));
    } else if (operator === "Exists") {
      if (value !== "") {
        errors.push(invalidValue(`${field}.operator`, value, "value must be empty when `operator` is 'Exists'"));
      }
    } else errors.push(notSupported(`${field}.operator`, operator, operators));
    if (effect !== "" && !effects.includes(effect)) errors.push(notSupported(`${field}.effect`, effect, effects));
    return errors;
  });
}

/** Returns the errors of a pod's affinity. */
export function validateAffinity(affinity: Affinity, path: string): FieldError[] {
  const { podAffinity, podAntiAffinity } = affinity;
  return [
    ...nodeErrors(affinity, path),
    ...(podAffinity ? podTermErrors(podAffinity, `${path}.podAffinity`) : []),
    ...(podAntiAffinity ? podTermErrors(podAntiAffinity, `${path}.podAntiAffinity`) : []),
  ];
}

function podTermErrors(rules: PodAffinity, path: string): FieldError[] {
  const needed = rules.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const preferred = rules.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [
    ...needed.flatMap((term, index) =>
      neighbourTermErrors(term, `${path}.requiredDuringSchedulingIgnoredDuringExecution[${index}]`),
    ),
    ...preferred.flatMap(({ weight, podAffinityTerm }, index) => {
      const field = `${path}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`;
      const isInRange = weight >= 1 && weight <= 100;
      return [
        ...(isInRange ? [] : [invalidValue(`${field}.weight`, weight, "must be in the range 1-100")]),
        ...neighbourTermErrors(podAffinityTerm, `${field}.podAffinityTerm`),
      ];
    }),
  ];
}

function neighbourTermErrors(
  { labelSelector, namespaceSelector, namespaces = [], topologyKey }: PodAffinityTerm,
  field: string,
): FieldError[] {
  return [
    ...labelSelectorErrors(labelSelector, `${field}.labelSelector`),
    ...labelSelectorErrors(namespaceSelector, `${field}.namespaceSelector`),
    ...namespaces.flatMap((name) => dnsLabel(name).map((fault) => invalidValue(`${field}.namespace`, name, fault))),
    ...(topologyKey === "" ? [required(`${field}.topologyKey`, "can not be empty")] : []),
    ...qualifiedName(topologyKey).map((fault) => invalidValue(`${field}.topologyKey`, topologyKey, fault)),
  ];
}

/** Returns the warnings about a pod's affinity. */
export function warnOfAffinity({ podAffinity, podAntiAffinity }: Affinity, path: string): string[] {
  const text = "a null labelSelector results in matching no pod";
  return Object.entries({ podAffinity, podAntiAffinity }).flatMap(([kind, rules]) => [
    ...(rules?.requiredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ labelSelector }, index) =>
      labelSelector === undefined
        ? [`${path}.${kind}.requiredDuringSchedulingIgnoredDuringExecution[${index}].labelSelector: ${text}`]
        : [],
    ),
    ...(rules?.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ podAffinityTerm }, index) => {
      const field = `${path}.${kind}.preferredDuringSchedulingIgnoredDuringExecution[${index}].podAffinityTerm`;
      return podAffinityTerm.labelSelector === undefined ? [`${field}.labelSelector: ${text}`] : [];
    }),
  ]);
}

const spreadChoices = ["DoNotSchedule", "ScheduleAnyway"];

/** Returns the errors of topology spread constraints. */
export function validateSpread(constraints: readonly TopologySpreadConstraint[], path: string): FieldError[] {
  return constraints.flatMap(({ maxSkew, topologyKey, whenUnsatisfiable, labelSelector }, index) => {
    const field = `${path}[${index}]`;
    return [
      ...(maxSkew > 0 ? [] : [invalidValue(`${field}.maxSkew`, maxSkew, "must be greater than zero")]),
      ...(topologyKey === ""
        ? [required(`${field}.topologyKey`, "can not be empty")]
        : qualifiedName(topologyKey).map((fault) => invalidValue(`${field}.topologyKey`, topologyKey, fault))),
      ...(spreadChoices.includes(whenUnsatisfiable)
        ? []
        : [notSupported(`${field}.whenUnsatisfiable`, whenUnsatisfiable, spreadChoices)]),
      ...labelSelectorErrors(labelSelector, `${field}.labelSelector`),
    ];
  });
}

/** Returns the warnings about topology spread constraints. */
export function warnOfSpread(constraints: readonly TopologySpreadConstraint[], path: string): string[] {
  return constraints.flatMap(({ labelSelector }, index) =>
    labelSelector === undefined
      ? [`${path}[${index}].labelSelector: a null labelSelector results in matching no pod`]
      : [],
  );
}

function nodeErrors(affinity: Affinity, path: string): FieldError[] {
  const preferred = affinity.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [
    ...requiredNodeErrors(affinity, path),
    ...preferred.flatMap(({ weight, preference }, index) => {
      const field = `${path}.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[${index}]`;
      const isInRange = weight >= 1 && weight <= 100;
      return [
        ...(isInRange ? [] : [invalidValue(`${field}.weight`, weight, "must be in the range 1-100")]),
        ...termErrors(preference, `${field}.preference`),
      ];
    }),
  ];
}

function requiredNodeErrors({ nodeAffinity }: Affinity, path: string): FieldError[] {
  const selector = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (selector === undefined) return [];
  const field = `${path}.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
  const terms = selector.nodeSelectorTerms ?? [];
  if (terms.length === 0) return [required(field, "must have at least one node selector term")];
  return terms.flatMap((term, index) => termErrors(term, `${field}[${index}]`));
}

function termErrors(term: NodeSelectorTerm, path: string): FieldError[] {
  return [
    ...expressionErrors(term, path),
    ...(term.matchFields ?? []).flatMap(({ key }, index) =>
      key === "metadata.name"
        ? []
        : [invalidValue(`${path}.matchFields[${index}].key`, key, "not a valid field selector key")],
    ),
  ];
}

function expressionErrors({ matchExpressions = [] }: NodeSelectorTerm, path: string): FieldError[] {
  return matchExpressions.flatMap(({ key, operator, values = [] }, index) => {
    const field = `${path}.matchExpressions[${index}]`;
    const named = [
      ...qualifiedName(key).map((fault) => invalidValue(`${field}.key`, key, fault)),
      ...values.flatMap((value, at) =>
        labelValue(value).map((fault) => invalidValue(`${field}.values[${at}]`, value, fault)),
      ),
    ];
    switch (operator) {
      case "In":
      case "NotIn":
        return values.length > 0
          ? named
          : [required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"), ...named];
      case "Exists":
      case "DoesNotExist":
        return values.length === 0
          ? named
          : [
              forbiddenField(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
              ...named,
            ];
      case "Gt":
      case "Lt":
        return values.length === 1
          ? named
          : [required(`${field}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"), ...named];
      default:
        return [invalidValue(`${field}.operator`, operator, "not a valid selector operator"), ...named];
    }
  });
}
