import type { AggregationRule, PolicyRule, RoleRef, Subject } from "kubernetes-types/rbac/v1.d.ts";
import { isSame } from "../json.ts";
import type { Draft } from "../object.ts";
import { type FieldError, forbiddenField, invalidValue, notSupported, required } from "../validation/field-error.ts";
import { labelSelectorErrors } from "../validation/label-selectors.ts";
import { pathSegment, subdomain } from "../validation/names.ts";
import type { Rules } from "./rules.ts";

type RoleObject = Draft & { rules: PolicyRule[] | null; aggregationRule?: AggregationRule };
type BindingObject = Draft & { roleRef: RoleRef; subjects?: Subject[] };

/** The API group that roles and their references belong to. */
export const accessGroup = "rbac.authorization.k8s.io";

/** The rules of Role. */
export const roleRules: Rules<RoleObject> = roles({ isNamespaced: true });

/** The rules of ClusterRole. */
export const clusterRoleRules: Rules<RoleObject> = roles({ isNamespaced: false });

/** The rules of RoleBinding. */
export const roleBindingRules: Rules<BindingObject> = bindings({ isNamespaced: true });

/** The rules of ClusterRoleBinding. */
export const clusterRoleBindingRules: Rules<BindingObject> = bindings({ isNamespaced: false });

function roles({ isNamespaced }: { isNamespaced: boolean }): Rules<RoleObject> {
  const validate = ({ rules, aggregationRule }: RoleObject) => [
    ...(rules ?? []).flatMap((rule, index) => validateRule(rule, index, isNamespaced)),
    ...(aggregationRule === undefined ? [] : aggregationErrors(aggregationRule)),
  ];
  return { name: pathSegment, createsOnUpdate: true, validate, validateUpdate: validate };
}

/** Returns the errors of the selectors of aggregated roles. */
function aggregationErrors({ clusterRoleSelectors: selectors = [] }: AggregationRule): FieldError[] {
  const field = "aggregationRule.clusterRoleSelectors";
  const none = "at least one clusterRoleSelector required if aggregationRule is non-nil";
  if (selectors.length === 0) return [required(field, none)];
  return selectors.flatMap((selector, index) => {
    const selectorField = `${field}[${index}]`;
    const faults = labelSelectorErrors(selector, selectorField);
    return faults.length === 0 ? [] : [...faults, invalidValue(selectorField, null, "invalid label selector.")];
  });
}

function validateRule(rule: PolicyRule, index: number, isNamespaced: boolean): FieldError[] {
  const field = `rules[${index}]`;
  const urls = rule.nonResourceURLs ?? [];
  const verbs = rule.verbs ?? [];
  const errors = verbs.length === 0 ? [required(`${field}.verbs`, "verbs must contain at least one value")] : [];
  if (urls.length > 0) {
    if (isNamespaced) {
      const text = "namespaced rules cannot apply to non-resource URLs";
      errors.push(invalidValue(`${field}.nonResourceURLs`, urls, text));
    }
    if ([rule.apiGroups, rule.resources, rule.resourceNames].some((list) => (list ?? []).length > 0)) {
      const text = "rules cannot apply to both regular resources and non-resource URLs";
      errors.push(invalidValue(`${field}.nonResourceURLs`, urls, text));
    }
    return errors;
  }
  if ((rule.apiGroups ?? []).length === 0) {
    errors.push(required(`${field}.apiGroups`, "resource rules must supply at least one api group"));
  }
  if ((rule.resources ?? []).length === 0) {
    errors.push(required(`${field}.resources`, "resource rules must supply at least one resource"));
  }
  return errors;
}

function bindings({ isNamespaced }: { isNamespaced: boolean }): Rules<BindingObject> {
  const validate = (binding: BindingObject) => validateBinding(binding, isNamespaced);
  return {
    name: pathSegment,
    createsOnUpdate: true,
    fill({ roleRef, subjects = [] }) {
      if (roleRef.apiGroup === "") roleRef.apiGroup = accessGroup;
      for (const subject of subjects) {
        if (subject.kind !== "ServiceAccount") subject.apiGroup ??= accessGroup;
      }
    },
    validate,
    validateUpdate(next, old) {
      const { apiGroup, kind, name } = next.roleRef;
      const shown = { APIGroup: apiGroup, Kind: kind, Name: name };
      const changed = isSame(next.roleRef, old.roleRef)
        ? []
        : [invalidValue("roleRef", shown, "cannot change roleRef")];
      return [...validate(next), ...changed];
    },
  };
}

function validateBinding({ roleRef, subjects = [] }: BindingObject, isNamespaced: boolean): FieldError[] {
  const kinds = isNamespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
  return [
    ...(roleRef.apiGroup === accessGroup ? [] : [notSupported("roleRef.apiGroup", roleRef.apiGroup, [accessGroup])]),
    ...(kinds.includes(roleRef.kind) ? [] : [notSupported("roleRef.kind", roleRef.kind, kinds)]),
    ...(roleRef.name === ""
      ? [required("roleRef.name")]
      : pathSegment(roleRef.name).map((fault) => invalidValue("roleRef.name", roleRef.name, fault))),
    ...subjects.flatMap((subject, index) => validateSubject(subject, `subjects[${index}]`, isNamespaced)),
  ];
}

function validateSubject(subject: Subject, field: string, isNamespaced: boolean): FieldError[] {
  const { apiGroup = "", kind, name, namespace = "" } = subject;
  const errors = name === "" ? [required(`${field}.name`)] : [];
  switch (kind) {
    case "ServiceAccount":
      return [
        ...errors,
        ...(name === "" ? [] : subdomain(name).map((fault) => invalidValue(`${field}.name`, name, fault))),
        ...(apiGroup === "" ? [] : [notSupported(`${field}.apiGroup`, apiGroup, [""])]),
        ...(!isNamespaced && namespace === "" ? [required(`${field}.namespace`)] : []),
      ];
    case "User":
    case "Group":
      return [
        ...errors,
        ...(apiGroup === accessGroup ? [] : [notSupported(`${field}.apiGroup`, apiGroup, [accessGroup])]),
        ...(namespace === ""
          ? []
          : [forbiddenField(`${field}.namespace`, "may not be set for non-namespaced subjects")]),
      ];
    default:
      return [...errors, notSupported(`${field}.kind`, kind, ["ServiceAccount", "User", "Group"])];
  }
}
