import {
  driverAnnotations,
  driverLabels,
  driverNodeSelectors,
  driverServiceAnnotations,
  driverServiceLabels,
  nodeSelectors,
} from "../conf/entries/driver.ts";
import { executorAnnotations, executorLabels, executorNodeSelectors } from "../conf/entries/executor.ts";
import type { PrefixEntry } from "../conf/entry.ts";
import { type Issue, issue } from "../errors/issue.ts";
import { isAnnotationKey, isLabelKey, isLabelValue } from "../values/label-syntax.ts";
import type { DriverConf } from "./driver-conf.ts";
import { withExecutorIds } from "./labels.ts";

interface LabelFamily {
  readonly family: PrefixEntry;
  readonly what: "label" | "node selector" | "annotation";
  /** ID that replaces the placeholder of executors; absent if the values have no placeholders. */
  readonly executorId?: string;
}

const families: readonly LabelFamily[] = [
  { family: driverLabels, what: "label", executorId: "" },
  { family: executorLabels, what: "label", executorId: "1" },
  { family: driverServiceLabels, what: "label" },
  ...[nodeSelectors, driverNodeSelectors, executorNodeSelectors].map(
    (family) => ({ family, what: "node selector" }) as const,
  ),
  ...[driverAnnotations, driverServiceAnnotations, executorAnnotations].map(
    (family) => ({ family, what: "annotation" }) as const,
  ),
];

/**
 * Reports labels, annotations and node selectors that every API server rejects.
 *
 * Errors: SUBMIT_ERR_SETTING_LABEL. Source: Kubernetes, "Labels and Selectors", "Annotations".
 */
export function invalidLabelIssues(driver: Pick<DriverConf, "conf" | "appId" | "traits">): readonly Issue[] {
  return families.flatMap((family) => familyIssues(driver, family));
}

function familyIssues(
  { conf, appId, traits }: Pick<DriverConf, "conf" | "appId" | "traits">,
  { family, what, executorId }: LabelFamily,
): readonly Issue[] {
  const isAnnotation = what === "annotation";
  const isKey = isAnnotation ? isAnnotationKey : isLabelKey;
  const isReplaced = executorId !== undefined && traits.labelPlaceholders;
  return [...conf.withPrefix(family)].flatMap(([name, text]) => {
    const key = `${family.prefix}${name}`;
    const value = isReplaced ? withExecutorIds(text, { appId, executorId }) : text;
    return [
      ...(isKey(name) ? [] : [issue("SUBMIT_ERR_SETTING_LABEL", { key, what, part: "name", value: name })]),
      ...(isAnnotation || isLabelValue(value)
        ? []
        : [issue("SUBMIT_ERR_SETTING_LABEL", { key, what, part: "value", value })]),
    ];
  });
}
