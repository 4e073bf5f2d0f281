import { setTimeout } from "node:timers/promises";
import type { ApiTarget } from "../api-target.ts";

/** Drivers that existed at any time, as listings show them. */
export interface SeenDrivers {
  /** UIDs of the drivers, by the name of the application. */
  readonly byApplication: ReadonlyMap<string, ReadonlySet<string>>;
  readonly stop: () => Promise<void>;
}

interface PodList {
  readonly items: readonly { readonly metadata: { readonly name: string; readonly uid: string } }[];
}

/** Shorter than the time for which each driver exists. */
const intervalMs = 4000;

/** Lists the drivers of a namespace every 4 s. A driver that was submitted twice has another name or UID. */
export function listDrivers(target: ApiTarget, namespace: string): SeenDrivers {
  const byApplication = new Map<string, Set<string>>();
  const ending = new AbortController();
  const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=spark-role%3Ddriver`;
  const list = async () => {
    const { items }: PodList = JSON.parse(await target.fetchText({ method: "GET", path }));
    for (const { metadata } of items) {
      const name = /^soak-\d+/.exec(metadata.name)?.[0] ?? metadata.name;
      byApplication.set(name, (byApplication.get(name) ?? new Set()).add(metadata.uid));
    }
  };
  const repeat = async () => {
    while (!ending.signal.aborted) {
      await list().catch(() => {});
      await setTimeout(intervalMs, undefined, { signal: ending.signal }).catch(() => {});
    }
  };
  const running = repeat();
  return {
    byApplication,
    async stop() {
      ending.abort();
      await running;
    },
  };
}
