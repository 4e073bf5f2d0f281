import type { Demand } from "../../plan/minimum-demand.ts";
import { addDemand, noDemand, subtractDemand } from "./demand.ts";
import { defaultQueue, type Limits, type QueueRule, type QueueRules, type QueueScheduler } from "./queue-rules.ts";

/** An application in a queue. */
export interface QueueItem {
  readonly key: string;
  /** @default the default queue */
  readonly queue?: string | undefined;
  /** Without authentication, all applications have the same user. */
  readonly user?: string | undefined;
  readonly namespace: string;
  /** Higher ones come first in their queue. */
  readonly priority: number;
  /** Order of acceptance. */
  readonly number: number;
  readonly demand: Demand;
}

/** Position of an application, and the reason for it. */
export interface Waiting {
  /** From 1 on, in its queue. */
  readonly position: number;
  readonly reason: string;
}

/** A part of the cluster that applications share. */
export interface Capacity {
  /** E.g. `the quota of namespace jobs`. */
  readonly name: string;
  readonly hard: Demand;
  /** Known use by all users, in which applications that have just been admitted can be missing. */
  readonly used: Demand;
  /** Whether it is shared by the applications of one namespace or of all. */
  readonly scope: "namespace" | "total";
}

/** Returns the known capacities for a namespace. */
export type Capacities = (namespace: string) => readonly Capacity[];

/**
 * Queues that share the cluster by weight. The next application is the first of the queue that uses least for its weight.
 * In a queue, higher priorities come first, then earlier applications. An application that does not fit holds up those behind it
 * in its queue, so that small ones cannot starve it.
 *
 * If a scheduler of the cluster decides about a queue, only the limits hold up its applications.
 */
export interface FairQueue {
  /** Adds an application, unless it waits already. */
  readonly add: (item: QueueItem) => void;
  /** Puts back an application that was taken. For this reason, neither it nor those behind it are taken until `release`. */
  readonly putBack: (item: QueueItem, reason: string) => void;
  /** Lets all applications be taken that were put back. */
  readonly release: () => void;
  /** Removes an application that waits. */
  readonly remove: (key: string) => void;
  /** Takes the next application that may run, and counts it as running. */
  readonly take: () => QueueItem | undefined;
  /** Counts an application as running that was admitted before, for example by another process. */
  readonly start: (item: QueueItem) => void;
  /** Counts an application as ended. */
  readonly end: (key: string) => void;
  readonly waiting: (key: string) => Waiting | undefined;
  /** Returns the queues with what they use. */
  readonly usage: () => readonly QueueUsage[];
}

/** Use of one queue. */
export interface QueueUsage extends Use {
  readonly queue: string;
  readonly weight: number;
  readonly waiting: number;
  readonly limits: Limits;
  readonly scheduler?: QueueScheduler | undefined;
}

interface Use {
  readonly running: number;
  readonly demand: Demand;
}

const noUse: Use = { running: 0, demand: noDemand };

/** Creates empty queues. */
export function fairQueue(rules: QueueRules, capacities: Capacities): FairQueue {
  const waiting = new Map<string, QueueItem[]>();
  const byKey = new Map<string, QueueItem>();
  const running = new Map<string, QueueItem>();
  /** Reasons of applications that were put back, by key. */
  const held = new Map<string, string>();
  const used = new Map<string, Use>();
  const ruleOf = (queue: string): QueueRule => rules.queues.get(queue) ?? { weight: 1 };
  const scopesOf = ({ queue = defaultQueue, user = "", namespace }: QueueItem): readonly Scope[] => [
    { key: `queue ${queue}`, name: `queue ${queue}`, limits: ruleOf(queue) },
    { key: `user ${user}`, name: user === "" ? "all users" : `user ${user}`, limits: rules.perUser },
    { key: `namespace ${namespace}`, name: `namespace ${namespace}`, limits: rules.perNamespace },
    { key: "total", name: "gateway", limits: rules.total },
  ];
  const isScheduled = ({ queue = defaultQueue }: QueueItem) => ruleOf(queue).scheduler !== undefined;
  /** Returns what an application counts for: what a scheduler of the cluster holds back uses no capacity. */
  const countersOf = (item: QueueItem): readonly string[] => [
    ...scopesOf(item).map(({ key }) => key),
    ...(isScheduled(item) ? [] : ["namespace", "total"].map((scope) => capacityKey(scope, item))),
  ];
  const count = (item: QueueItem, sign: 1 | -1) => {
    for (const key of countersOf(item)) {
      const use = used.get(key) ?? noUse;
      const demand = sign === 1 ? addDemand(use.demand, item.demand) : subtractDemand(use.demand, item.demand);
      used.set(key, { running: use.running + sign, demand });
    }
  };
  /** Returns why an application may not run now. */
  const obstacle = (item: QueueItem): string | undefined => {
    const reasonToHold = held.get(item.key);
    if (reasonToHold !== undefined) return reasonToHold;
    for (const { key, name, limits } of scopesOf(item)) {
      const reason = exceeded(used.get(key) ?? noUse, item.demand, limits);
      if (reason !== undefined) return `The limit of ${name} is reached: ${reason}.`;
    }
    for (const { name, hard, used: known, scope } of isScheduled(item) ? [] : capacities(item.namespace)) {
      // Executors are created long after their driver, so what runs counts with all that it needs.
      const { running: count_, demand: own } = used.get(capacityKey(scope, item)) ?? noUse;
      // What can never fit runs with less than it needs, but not beside others.
      if (!fits(item.demand, hard) && count_ === 0) continue;
      const free = {
        cores: hard.cores - Math.max(known.cores, own.cores),
        memoryMiB: hard.memoryMiB - Math.max(known.memoryMiB, own.memoryMiB),
      };
      if (!fits(item.demand, free))
        return `Driver and least executors need ${print(item.demand)}; ${name} has ${print(free)} free.`;
    }
    return undefined;
  };
  const shareOf = (queue: string) => {
    const { running: count_, demand } = used.get(`queue ${queue}`) ?? noUse;
    return (demand.cores || count_) / ruleOf(queue).weight;
  };
  const start = (item: QueueItem) => {
    if (running.has(item.key)) return;
    running.set(item.key, item);
    count(item, 1);
  };
  const add = (item: QueueItem) => {
    if (byKey.has(item.key)) return;
    const { queue = defaultQueue } = item;
    const items = waiting.get(queue) ?? [];
    waiting.set(queue, items);
    items.splice(endOf(items, item), 0, item);
    byKey.set(item.key, item);
  };
  const end = (key: string) => {
    const item = running.get(key);
    if (item === undefined) return;
    running.delete(key);
    count(item, -1);
  };
  return {
    add,
    putBack(item, reason) {
      end(item.key);
      held.set(item.key, reason);
      add(item);
    },
    release: () => held.clear(),
    remove(key) {
      held.delete(key);
      const item = byKey.get(key);
      if (item === undefined) return;
      byKey.delete(key);
      const items = waiting.get(item.queue ?? defaultQueue) ?? [];
      items.splice(endOf(items, item) - 1, 1);
    },
    take() {
      const queues = [...waiting].filter(([, items]) => items.length > 0).map(([queue]) => queue);
      for (const queue of queues.sort((a, b) => shareOf(a) - shareOf(b))) {
        const [first] = waiting.get(queue) ?? [];
        if (first === undefined || obstacle(first) !== undefined) continue;
        waiting.get(queue)?.shift();
        byKey.delete(first.key);
        start(first);
        return first;
      }
      return undefined;
    },
    start,
    end,
    waiting(key) {
      const item = byKey.get(key);
      if (item === undefined) return undefined;
      const { queue = defaultQueue } = item;
      const items = waiting.get(queue) ?? [];
      const position = endOf(items, item);
      if (position > 1) {
        const before = position === 2 ? "1 application is" : `${position - 1} applications are`;
        return { position, reason: `${before} before it in queue ${queue}.` };
      }
      return { position, reason: obstacle(item) ?? "It is the next one." };
    },
    usage() {
      const queues = new Set([...rules.queues.keys(), ...waiting.keys()]);
      return [...queues].map((queue) => {
        const { weight, scheduler, ...limits } = ruleOf(queue);
        return {
          ...{ queue, weight, limits, scheduler },
          waiting: waiting.get(queue)?.length ?? 0,
          ...(used.get(`queue ${queue}`) ?? noUse),
        };
      });
    },
  };
}

interface Scope {
  readonly key: string;
  readonly name: string;
  readonly limits: Limits;
}

function capacityKey(scope: string, { namespace }: QueueItem): string {
  return scope === "total" ? "capacity" : `capacity ${namespace}`;
}

function exceeded({ running, demand }: Use, more: Demand, { maxRunning, maxCores, maxMemoryMiB }: Limits) {
  if (maxRunning !== undefined && running >= maxRunning) return `${running} of ${maxRunning} applications run`;
  if (maxCores !== undefined && demand.cores + more.cores > maxCores)
    return `${demand.cores} of ${maxCores} cores are used, and it needs ${more.cores}`;
  if (maxMemoryMiB !== undefined && demand.memoryMiB + more.memoryMiB > maxMemoryMiB)
    return `${demand.memoryMiB} of ${maxMemoryMiB} MiB are used, and it needs ${more.memoryMiB} MiB`;
  return undefined;
}

function fits(demand: Demand, free: Demand): boolean {
  return demand.cores <= free.cores && demand.memoryMiB <= free.memoryMiB;
}

function print({ cores, memoryMiB }: Demand): string {
  const memory = Number.isFinite(memoryMiB) ? `${Math.floor(memoryMiB)} MiB` : "enough memory";
  return `${Number.isFinite(cores) ? `${cores} cores` : "enough cores"} and ${memory}`;
}

/** Returns the index behind an application in its queue, which is in order: a list asks for the position of each of thousands. */
function endOf(items: readonly QueueItem[], item: QueueItem): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = items[middle];
    if (other !== undefined && isBefore(other, item)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isBefore(a: QueueItem, b: QueueItem): boolean {
  return a.priority === b.priority ? a.number <= b.number : a.priority > b.priority;
}
