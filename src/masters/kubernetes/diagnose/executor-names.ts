import { executorPodNamePrefix } from "../../../conf/entries/executor.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Event, Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { appNameLabelKey, appSelectorLabel, roleLabel } from "../../../plan/labels.ts";
import { resourceNamePrefix } from "../../../plan/names.ts";
import { parseInstant } from "../../../values/instant.ts";
import { driverProperties } from "./driver-properties.ts";

const executorName = /^(.+)-exec-\d+(?:-|$)/;
const idLength = 16;

/** Returns the prefix of an executor's name, or of the name of one of its claims. */
export function executorPrefixOf(name: string): string | undefined {
  return executorName.exec(name)?.[1];
}

/**
 * Finds the prefixes of the names of a driver's executors. A driver makes a prefix of its own, which only its executors show.
 *
 * After the executors are deleted, only events have their names. Then the prefix is that of the application's name whose first event is in
 * the lifetime of the driver. If several applications of this name ran meanwhile, there is none.
 *
 * @param events events about executors in the driver's namespace
 */
export async function executorPrefixes(
  client: KubeClient,
  driver: Pod,
  events: readonly Event[],
): Promise<ReadonlySet<string>> {
  const specified = (await driverProperties(client, undefined)(driver))[executorPodNamePrefix.key];
  if (specified !== undefined) return new Set([specified]);
  const { appSelector, executors } = await listExecutors(client, driver);
  const own = executors.filter(({ appId }) => appId === appSelector).map(({ prefix }) => prefix);
  if (own.length > 0) return new Set(own);
  const others = new Set(executors.map(({ prefix }) => prefix));
  const guessed = guess(driver, events).filter((prefix) => !others.has(prefix));
  return new Set(guessed.length === 1 ? guessed : []);
}

/** Lists the existing executors of the namespace; none if the API denies it. */
async function listExecutors(client: KubeClient, { metadata }: Pod) {
  const { namespace = "", labels = {} } = metadata ?? {};
  const call = { type: resourceTypes.pod, namespace, labelSelector: `${roleLabel}=executor` };
  const executors = await client
    .listSelected(call, ({ metadata: own = {} }: Pod) => {
      const prefix = executorPrefixOf(own.name ?? "");
      return prefix === undefined ? [] : [{ prefix, appId: own.labels?.[appSelectorLabel] }];
    })
    .catch(() => []);
  return { appSelector: labels[appSelectorLabel], executors: executors.flat() };
}

function guess({ metadata = {}, status }: Pod, events: readonly Event[]): readonly string[] {
  const appName = metadata.labels?.[appNameLabelKey];
  if (appName === undefined) return [];
  const firstMs = new Map<string, number>();
  for (const event of events) {
    const prefix = executorPrefixOf(event.involvedObject.name ?? "");
    const timeMs = parseInstant(event.firstTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp);
    if (prefix === undefined || timeMs === undefined) continue;
    firstMs.set(prefix, Math.min(timeMs, firstMs.get(prefix) ?? timeMs));
  }
  const startMs = parseInstant(metadata.creationTimestamp) ?? 0;
  const ends = (status?.containerStatuses ?? []).flatMap(
    ({ state }) => parseInstant(state?.terminated?.finishedAt) ?? [],
  );
  const endMs = ends.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...ends);
  return [...firstMs].flatMap(([prefix, timeMs]) => {
    const expected = resourceNamePrefix(appName, prefix.slice(-idLength));
    return prefix === expected && timeMs >= startMs && timeMs <= endMs ? [prefix] : [];
  });
}
