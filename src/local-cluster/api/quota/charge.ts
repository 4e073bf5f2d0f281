import { type Amounts, addAmounts, parseAmounts, pickAmounts, printAmounts } from "../../../kube/amounts.ts";
import { compareQuantities, printQuantity, type Quantity } from "../../../values/quantity.ts";
import { isObject } from "../json.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Draft } from "../object.ts";
import { forbidden } from "../status.ts";
import type { Store, StoredObject } from "../store.ts";
import { isInScope } from "./scopes.ts";
import { measures, missingAmounts, usageOf } from "./usage.ts";

/** A write that quotas limit. */
interface Charge {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly next: Draft;
  /** The stored object; `undefined` for a new object. */
  readonly old: Draft | undefined;
}

/**
 * Checks a write against all quotas of its namespace.
 *
 * @returns a function that updates the quotas' usage, to be called after the write
 * @throws StatusError 403
 */
export function charge(store: Store, { kind, namespace, next, old }: Charge): () => void {
  const name = next.metadata.name ?? "";
  const rejection = (text: string) => forbidden(kind, name, text);
  const quotas = quotasFor(store, { kind, namespace, next });
  for (const { quota, hard, used } of quotas) {
    const missing = old === undefined && kind.collection === "pods" ? missingAmounts(next, [...hard.keys()]) : [];
    const { name: quotaName } = quota.metadata;
    if (missing.length > 0) throw rejection(`failed quota: ${quotaName}: must specify ${missing.join("; ")}`);
    const unknown = [...hard.keys()].filter((resource) => !used.has(resource));
    if (unknown.length > 0) {
      throw rejection(`status unknown for quota: ${quotaName}, resources: ${unknown.sort().join(",")}`);
    }
  }
  const delta = increase(usageOf(kind, next), old === undefined ? new Map() : usageOf(kind, old));
  const updates = quotas.map(({ quota, hard, used }) => {
    const requested = pickAmounts(delta, (resource) => hard.has(resource));
    const sum = addAmounts(used, requested);
    const exceeded = new Set([...requested.keys()].filter((resource) => isMore(sum.get(resource), hard.get(resource))));
    if (exceeded.size === 0) return { quota, sum };
    const texts = [requested, used, hard].map((amounts) => shown(pickAmounts(amounts, (one) => exceeded.has(one))));
    throw rejection(
      `exceeded quota: ${quota.metadata.name}, requested: ${texts[0]}, used: ${texts[1]}, limited: ${texts[2]}`,
    );
  });
  return () => {
    for (const { quota, sum } of updates) setUsage(store, quota, sum);
  };
}

interface QuotaUsage {
  readonly quota: StoredObject;
  /** The limits that apply to this kind of object. */
  readonly hard: Amounts;
  readonly used: Amounts;
}

function quotasFor(
  store: Store,
  { kind, namespace, next }: Pick<Charge, "kind" | "namespace" | "next">,
): readonly QuotaUsage[] {
  if (namespace === undefined) return [];
  return store.list("resourcequotas", namespace).flatMap((quota) => {
    const status = isObject(quota["status"]) ? quota["status"] : {};
    const isMeasured = (resource: string) => measures(kind, resource);
    const hard = pickAmounts(parseAmounts(status["hard"]), isMeasured);
    if (hard.size === 0 || !isInScope(quota["spec"], kind.plural, next)) return [];
    return [{ quota, hard, used: pickAmounts(parseAmounts(status["used"]), isMeasured) }];
  });
}

/** Returns the additional usage of a write. */
function increase(next: Amounts, old: Amounts): Amounts {
  const more = [...next].flatMap(([name, amount]): [string, Quantity][] => {
    const nano = amount.nano - (old.get(name)?.nano ?? 0n);
    return nano > 0n ? [[name, { nano, format: amount.format }]] : [];
  });
  return new Map(more);
}

function isMore(a: Quantity | undefined, b: Quantity | undefined): boolean {
  return a !== undefined && b !== undefined && compareQuantities(a, b) > 0;
}

function shown(amounts: Amounts): string {
  return [...amounts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, amount]) => `${name}=${printQuantity(amount)}`)
    .join(",");
}

function setUsage(store: Store, { metadata }: StoredObject, sum: Amounts): void {
  store.update("resourcequotas", metadata.namespace, metadata.name, (current) => {
    const status = isObject(current["status"]) ? current["status"] : {};
    const used = isObject(status["used"]) ? status["used"] : {};
    return { ...current, status: { ...status, used: { ...used, ...printAmounts(sum) } } };
  });
}
