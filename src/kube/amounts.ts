import { addQuantities, compareQuantities, parseQuantity, printQuantity, type Quantity } from "../values/quantity.ts";
import { isObject } from "./shape.ts";
import type { Container, PodSpec } from "./types.ts";

/** Amounts of resources by name, such as `cpu` and `memory`. */
export type Amounts = ReadonlyMap<string, Quantity>;

/** The quantity 1, which counts objects. */
export const one: Quantity = { nano: 1_000_000_000n, format: "decimalSI" };

/** Parses a resource list such as `{cpu: "500m"}`; invalid quantities are omitted. */
export function parseAmounts(list: unknown): Amounts {
  const amounts = new Map<string, Quantity>();
  for (const [name, text] of Object.entries(isObject(list) ? list : {})) {
    const quantity = typeof text === "string" ? parseQuantity(text) : undefined;
    if (quantity !== undefined) amounts.set(name, quantity);
  }
  return amounts;
}

/** Prints a resource list sorted by name. */
export function printAmounts(amounts: Amounts): Record<string, string> {
  return Object.fromEntries(
    [...amounts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, amount]) => [name, printQuantity(amount)]),
  );
}

/** Adds two lists of amounts by name. */
export function addAmounts(a: Amounts, b: Amounts): Amounts {
  const sum = new Map(a);
  for (const [name, amount] of b) {
    const known = sum.get(name);
    sum.set(name, known === undefined ? amount : addQuantities(known, amount));
  }
  return sum;
}

/** Returns the amounts whose names are accepted. */
export function pickAmounts(amounts: Amounts, isPicked: (name: string) => boolean): Amounts {
  return new Map([...amounts].filter(([name]) => isPicked(name)));
}

/**
 * Returns the maximum amounts that a pod needs concurrently: all containers and sidecars, or an init container with the sidecars
 * that precede it.
 */
export function podAmounts(spec: PodSpec, list: "requests" | "limits"): Amounts {
  const own = ({ resources }: Container) => parseAmounts(resources?.[list]);
  let sidecars: Amounts = new Map();
  let maximum: Amounts = new Map();
  for (const init of spec.initContainers ?? []) {
    if (init.restartPolicy === "Always") sidecars = addAmounts(sidecars, own(init));
    else maximum = larger(maximum, addAmounts(sidecars, own(init)));
  }
  const continuous = (spec.containers ?? []).map(own).reduce(addAmounts, sidecars);
  return addAmounts(larger(continuous, maximum), parseAmounts(spec.overhead));
}

function larger(a: Amounts, b: Amounts): Amounts {
  const most = new Map(a);
  for (const [name, amount] of b) {
    const known = most.get(name);
    if (known === undefined || compareQuantities(amount, known) > 0) most.set(name, amount);
  }
  return most;
}
