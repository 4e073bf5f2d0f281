import type { ConfEntry, PrefixEntry } from "../conf/entry.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { type Issue, issue, type Result, success } from "../errors/issue.ts";
import type { StringMap } from "../kube/types.ts";
import type { AppResource } from "./app-resource.ts";
import { parseCustomLimits } from "./custom-limits.ts";

/** Input of planning a role's resources. */
export interface ResourceInput {
  readonly conf: SparkConf;
  readonly kind: AppResource["kind"];
}

/** Compute resources of a role's container. */
export interface PodResources {
  /** Kubernetes quantity, as written: `500m`. */
  readonly cpuRequest: string;
  /** Kubernetes quantity, as written; `undefined` for no limit. */
  readonly cpuLimit: string | undefined;
  /** Request and limit, in MiB. */
  readonly memoryMiB: number;
  /** Limits of custom resources, e.g. `{"nvidia.com/gpu": "2"}`. */
  readonly customLimits: StringMap;
}

/**
 * Checks the settings that are quantities, by the rules of Spark's client. The API server may still reject a quantity that passes.
 *
 * Errors: SUBMIT_ERR_QUANTITY. Source: the Java client library, Quantity.parse.
 */
export function quantityIssues(conf: SparkConf, entries: readonly ConfEntry<string | undefined>[]): readonly Issue[] {
  return entries.flatMap((entry) => {
    const read = conf.read(entry);
    if (!read.ok) return read.issues;
    if (read.value === undefined || isJavaQuantity(read.value)) return [];
    return [issue("SUBMIT_ERR_QUANTITY", { key: entry.key, value: read.value })];
  });
}

/** A quantity cannot have both an exponent and a suffix. */
function isJavaQuantity(quantity: string): boolean {
  const unit = /[eEinumkKMGTP].*$/s.exec(quantity)?.[0] ?? "";
  return quantity !== "" && !(/[0-9]/.test(unit) && /[A-Za-z]$/.test(unit));
}

/** Plans the limits of a role's custom resources, which only some submissions have. Errors: those of `parseCustomLimits`. */
export function planCustomLimits(conf: SparkConf, family: PrefixEntry): Result<StringMap> {
  return conf.withPrefix(family).size === 0 ? success({}) : parseCustomLimits(conf, family);
}
