import { messageOf } from "../../errors/submit-error.ts";
import type { Clock } from "../../host/host.ts";
import type { ServerLog } from "../../http/server-log.ts";
import { resourceTypes } from "../../kube/resources.ts";
import type { KubeResource } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import type { Demand } from "../../plan/minimum-demand.ts";
import { parseQuantity, quantityNumber } from "../../values/quantity.ts";
import { noDemand } from "./demand.ts";
import type { Capacities, Capacity } from "./fair-queue.ts";

interface CapacityCall {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Log that is limited to one entry a minute for each text. */
  readonly log: ServerLog;
  readonly namespaces: readonly string[];
  /** Whether nodes count, too. */
  readonly usesNodes: boolean;
  readonly signal: AbortSignal;
  /** Called when more may have become free. */
  readonly onChange: () => void;
}

interface Quota extends KubeResource {
  readonly status?: { readonly hard?: Amounts; readonly used?: Amounts };
}

interface Node extends KubeResource {
  readonly spec?: { readonly unschedulable?: boolean; readonly taints?: readonly { readonly effect: string }[] };
  readonly status?: { readonly allocatable?: Amounts };
}

type Amounts = Readonly<Record<string, string>>;

const intervalMs = 5000;
const mebibyte = 1024 * 1024;

/**
 * Follows what limits applications besides the rules, by reading it every 5 s: the quotas of namespaces, and what nodes without
 * taints can have. What may not be read limits nothing.
 */
export function clusterCapacities(call: CapacityCall): Capacities {
  const known = new Map<string, readonly Capacity[]>();
  void follow(call, known);
  return (namespace) => [...(known.get(namespace) ?? []), ...(known.get("") ?? [])];
}

async function follow(call: CapacityCall, known: Map<string, readonly Capacity[]>): Promise<void> {
  const { clock, namespaces, signal, onChange } = call;
  while (!signal.aborted) {
    for (const namespace of namespaces) await read(call, known, namespace, () => readQuotas(call, namespace));
    if (call.usesNodes) await read(call, known, "", () => readNodes(call));
    onChange();
    await clock.sleep(intervalMs, { signal, background: true });
  }
}

async function read(
  { log, signal }: CapacityCall,
  known: Map<string, readonly Capacity[]>,
  namespace: string,
  action: () => Promise<readonly Capacity[]>,
): Promise<void> {
  try {
    known.set(namespace, await action());
  } catch (error) {
    known.delete(namespace);
    const what = namespace === "" ? "Nodes" : "Quotas";
    if (!signal.aborted)
      log("WARN", `${what} cannot be read, so they do not limit admission.`, { namespace, reason: messageOf(error) });
  }
}

async function readQuotas({ client, signal }: CapacityCall, namespace: string): Promise<readonly Capacity[]> {
  const { items } = await client.list<Quota>({ type: resourceTypes.resourceQuota, namespace, signal });
  return items.flatMap(({ metadata, status: { hard = {}, used = {} } = {} }): readonly Capacity[] => {
    const limit = amountsOf(hard, Number.POSITIVE_INFINITY);
    if (!Number.isFinite(limit.cores) && !Number.isFinite(limit.memoryMiB)) return [];
    const name = `the quota ${metadata.name} of namespace ${namespace}`;
    return [{ name, hard: limit, used: amountsOf(used, 0), scope: "namespace" }];
  });
}

async function readNodes({ client, signal }: CapacityCall): Promise<readonly Capacity[]> {
  const { items } = await client.list<Node>({ type: resourceTypes.node, signal });
  const usable = items.filter(
    ({ spec = {} }) => spec.unschedulable !== true && !spec.taints?.some(({ effect }) => effect !== "PreferNoSchedule"),
  );
  if (usable.length === 0) return [];
  const amounts = usable.map(({ status }) => amountsOf(status?.allocatable ?? {}, 0));
  const hard = amounts.reduce((sum, { cores, memoryMiB }) => {
    return { cores: sum.cores + cores, memoryMiB: sum.memoryMiB + memoryMiB };
  }, noDemand);
  return [{ name: "the cluster's nodes", hard, used: noDemand, scope: "total" }];
}

/** Returns processors and memory of a list of amounts. */
function amountsOf(amounts: Amounts, absent: number): Demand {
  const of = (names: readonly string[], unit: number) => {
    const values = names.flatMap((name) => {
      const quantity = parseQuantity(amounts[name] ?? "");
      return quantity === undefined ? [] : [quantityNumber(quantity) / unit];
    });
    return values.length === 0 ? absent : Math.min(...values);
  };
  return { cores: of(["requests.cpu", "cpu"], 1), memoryMiB: of(["requests.memory", "memory"], mebibyte) };
}
