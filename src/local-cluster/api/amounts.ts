import type { Container, PodSpec } from "../../kube/types.ts";
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  printQuantity,
  type Quantity,
} from "../../values/quantity.ts";
import { isObject } from "./json.ts";

/** Amounts of resources by name, e.g. of `cpu` and `memory`. */
export type Amounts = ReadonlyMap<string, Quantity>;

/** One of something. */
export const one: Quantity = { nano: 1_000_000_000n, format: "decimalSI" };

/** Reads a resource list, `{cpu: "500m"}`; what is no amount is left out. */
export function parseAmounts(list: unknown): Amounts {
  const amounts = new Map<string, Quantity>();
  for (const [name, text] of Object.entries(isObject(list) ? list : {})) {
    const quantity = typeof text === "string" ? parseQuantity(text) : undefined;
    if (quantity !== undefined) amounts.set(name, quantity);
  }
  return amounts;
}

/** Writes a resource list, in order of name. */
export function printAmounts(amounts: Amounts): Record<string, string> {
  return Object.fromEntries(
    [...amounts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, amount]) => [name, printQuantity(amount)]),
  );
}

/** The sum for each name. */
export function addAmounts(a: Amounts, b: Amounts): Amounts {
  const sum = new Map(a);
  for (const [name, amount] of b) {
    const known = sum.get(name);
    sum.set(name, known === undefined ? amount : addQuantities(known, amount));
  }
  return sum;
}

/** The amounts of some names. */
export function pickAmounts(amounts: Amounts, isWanted: (name: string) => boolean): Amounts {
  return new Map([...amounts].filter(([name]) => isWanted(name)));
}

/** What a pod needs at once: all containers and side-cars, or an init container with the side-cars that run by then. */
export function podAmounts(spec: PodSpec, list: "requests" | "limits"): Amounts {
  const own = ({ resources }: Container) => parseAmounts(resources?.[list]);
  let sidecars: Amounts = new Map();
  let most: Amounts = new Map();
  for (const init of spec.initContainers ?? []) {
    if (init.restartPolicy === "Always") sidecars = addAmounts(sidecars, own(init));
    else most = larger(most, addAmounts(sidecars, own(init)));
  }
  const lasting = (spec.containers ?? []).map(own).reduce(addAmounts, sidecars);
  return addAmounts(larger(lasting, most), parseAmounts(spec.overhead));
}

function larger(a: Amounts, b: Amounts): Amounts {
  const most = new Map(a);
  for (const [name, amount] of b) {
    const known = most.get(name);
    if (known === undefined || compareQuantities(amount, known) > 0) most.set(name, amount);
  }
  return most;
}
