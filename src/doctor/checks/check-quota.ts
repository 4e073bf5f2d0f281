import { dynamicAllocationMaxExecutors } from "../../conf/entries/dynamic-allocation.ts";
import { limitOf, printAmount, requestOf } from "../../diagnosis/resources.ts";
import { keys } from "../../diagnosis/settings.ts";
import type { KubeResource, PodSpec } from "../../kube/types.ts";
import { type Fields, isFields } from "../../values/fields.ts";
import { parseQuantity, type Quantity } from "../../values/quantity.ts";
import type { Fetched } from "../fetch/fetched.ts";
import { type Finding, ok, skipped } from "../finding.ts";
import type { PlannedPod } from "../submission.ts";

/** Pods that the application needs at its start. */
export interface NeededPods {
  readonly pods: readonly PlannedPod[];
  /** Number of executors that the driver requests at its start. */
  readonly executors: number;
  /** Whether the number of executors can grow, and has a maximum. */
  readonly growth: "none" | "limited" | "unlimited";
}

/** Reports quotas that have no room for the driver and its first executors together, or that end a growth without a maximum. */
export function checkQuota(quotas: Fetched<readonly KubeResource[]>, needed: NeededPods): readonly Finding[] {
  if (quotas.kind !== "found") {
    const why = quotas.kind === "unknown" ? quotas.reason : "the API has no quotas";
    return [skipped("quota", `The quotas of the namespace were not checked: ${why}`)];
  }
  const amounts = quotas.value.flatMap(amountsOf);
  const findings = amounts.flatMap((amount) => shortage(amount, needed));
  if (findings.length > 0) return findings;
  if (amounts.length === 0) return [ok("quota", "No quota limits the pods of the namespace.")];
  const growing = needed.growth === "unlimited" ? growthFinding(amounts, needed) : undefined;
  if (growing !== undefined) return [growing];
  const names = [...new Set(amounts.map(({ quota }) => quota))].join(", ");
  return [ok("quota", `The quotas ${names} have room for the driver and ${needed.executors} executors.`)];
}

/** One amount of a quota. */
interface QuotaAmount {
  readonly quota: string;
  /** Name in the quota, e.g. `requests.cpu`. */
  readonly name: string;
  readonly hard: Quantity;
  readonly used: Quantity;
}

const nothing: Quantity = { nano: 0n, format: "decimalSI" };
const onePod: Quantity = { nano: 1_000_000_000n, format: "decimalSI" };

/** Lists the amounts of a quota. A quota with scopes counts only some pods: the dry runs show whether it counts these. */
function amountsOf({ metadata, spec, status }: KubeResource): readonly QuotaAmount[] {
  if (!isFields(spec) || spec["scopes"] !== undefined || spec["scopeSelector"] !== undefined) return [];
  const amount = (fields: unknown, name: string) =>
    isFields(fields) ? parseQuantity(String(fields[name] ?? "")) : undefined;
  const reported: Fields = isFields(status) ? status : {};
  return Object.keys(isFields(spec["hard"]) ? spec["hard"] : {}).flatMap((name) => {
    const hard = amount(spec["hard"], name);
    if (hard === undefined || usageOf({ containers: [] }, name) === undefined) return [];
    return [{ quota: metadata.name ?? "", name, hard, used: amount(reported["used"], name) ?? nothing }];
  });
}

/** Returns how much a pod counts in a quota; `undefined` for amounts that do not count pods. */
function usageOf(spec: PodSpec, name: string): Quantity | undefined {
  if (name === "pods" || name === "count/pods") return onePod;
  const [, kind = "requests", resource = ""] =
    /^(?:(requests|limits)\.)?(cpu|memory|ephemeral-storage)$/.exec(name) ?? [];
  if (resource === "") return undefined;
  return (kind === "limits" ? limitOf(spec, resource) : requestOf(spec, resource)) ?? nothing;
}

/** Use of one amount of a quota by the application. */
interface QuotaUse {
  readonly driver: bigint;
  /** Of each executor. */
  readonly executor: bigint;
  readonly free: bigint;
  /** Number of executors that have room beside the driver. */
  readonly fitting: bigint;
  readonly print: (nano: bigint) => string;
  /** Beginning of a sentence about the quota. */
  readonly state: string;
}

function useOf({ quota, name, hard, used }: QuotaAmount, { pods }: NeededPods): QuotaUse {
  const usage = (role: PlannedPod["role"]) => {
    const pod = pods.find((planned) => planned.role === role);
    return pod === undefined ? 0n : (usageOf(pod.spec, name)?.nano ?? 0n);
  };
  const driver = usage("driver");
  const executor = usage("executor");
  const free = hard.nano - used.nano;
  const print = (nano: bigint) => printAmount({ nano, format: hard.format }, name.replace(/^(requests|limits)\./, ""));
  const usedText = used.nano === 0n ? "none of which is used" : `of which ${print(used.nano)} are used`;
  const state = `The quota ${quota} limits ${name} to ${print(hard.nano)}, ${usedText}`;
  // A quota that was lowered can be exceeded already.
  const fitting = executor > 0n && free > driver ? (free - driver) / executor : 0n;
  return { driver, executor, free, fitting, print, state };
}

/** Returns the warning about the quota that rejects executors first. */
function growthFinding(amounts: readonly QuotaAmount[], needed: NeededPods): Finding | undefined {
  const uses = amounts.map((amount) => useOf(amount, needed)).filter(({ executor }) => executor > 0n);
  const [tightest] = uses.toSorted((a, b) => (a.fitting < b.fitting ? -1 : a.fitting > b.fitting ? 1 : 0));
  if (tightest === undefined) return undefined;
  const { key } = dynamicAllocationMaxExecutors;
  return {
    ...{ check: "quota", status: "warning", cause: "executor-quota-exceeded", key },
    reason: `${tightest.state}: ${tightest.fitting} executors have room beside the driver, but dynamic allocation has no maximum.`,
    fix: `Set ${key} to ${tightest.fitting} or less.`,
  };
}

function shortage(amount: QuotaAmount, needed: NeededPods): readonly Finding[] {
  const { executors } = needed;
  const { driver, executor, free, fitting, print, state } = useOf(amount, needed);
  if (driver > 0n && driver > free) {
    return [
      {
        ...{ check: "quota", status: "failure", cause: "quota-exceeded", key: keys.namespace },
        reason: `${state}: the driver needs ${print(driver)}.`,
        fix: "Wait until other pods end, request less, or raise the quota.",
      },
    ];
  }
  if (executor === 0n || driver + executor * BigInt(executors) <= free) return [];
  return [
    {
      ...{ check: "quota", status: fitting === 0n ? "failure" : "warning", cause: "executor-quota-exceeded" },
      key: keys.executorInstances,
      reason: `${state}: beside the driver (${print(driver)}), ${fitting} of ${executors} executors (${print(executor)} each) have room.`,
      fix: "Request fewer or smaller executors, wait until other pods end, or raise the quota.",
    },
  ];
}
