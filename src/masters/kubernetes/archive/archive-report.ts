import type { Host } from "../../../host/host.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Event, Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";

/** Result of the archiving of an application. */
export interface ArchiveReport {
  readonly isArchived: boolean;
  /** Sentence for users. */
  readonly text: string;
}

/** Annotation of a driver's pod about which its cluster has reported. Events expire. */
const annotation = "firesteel.dev/archive-result";
const reasons = { archived: "Archived", failed: "ArchiveFailed" } as const;
/** Limit of an event's message. */
const maxMessageChars = 1024;

/** Whether the cluster has reported about a driver. */
export function isReported({ metadata }: Pod): boolean {
  return metadata?.annotations?.[annotation] !== undefined;
}

/** Reports the result as an event about the driver, which can be deleted already. @throws SUBMIT_ERR_KUBE_… */
export async function reportArchive(
  { client, host }: { readonly client: KubeClient; readonly host: Pick<Host, "clock" | "random"> },
  { metadata = {} }: Pod,
  { isArchived, text }: ArchiveReport,
): Promise<void> {
  const { namespace = "", name = "", uid = "" } = metadata;
  const reason = isArchived ? reasons.archived : reasons.failed;
  const patch = { metadata: { uid, annotations: { [annotation]: reason } } };
  await client.patch({ type: resourceTypes.pod, namespace, name, patch }).catch(() => {});
  const time = new Date(host.clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
  const object = {
    ...{ apiVersion: "v1", kind: "Event", metadata: { name: `${name}.${host.random.uuid()}`, namespace } },
    involvedObject: { apiVersion: "v1", kind: "Pod", name, namespace, uid },
    ...{ reason, type: isArchived ? "Normal" : "Warning", message: text.slice(0, maxMessageChars) },
    ...{ firstTimestamp: time, lastTimestamp: time, count: 1, source: { component: "firesteel" } },
  };
  await client.create({ type: resourceTypes.event, namespace, object });
}

/** Finds the result for a driver. @throws SUBMIT_ERR_KUBE_… */
export async function findArchiveReport(
  client: KubeClient,
  { metadata = {} }: Pod,
  signal?: AbortSignal,
): Promise<ArchiveReport | undefined> {
  const { namespace = "", uid = "" } = metadata;
  const { items } = await client.list<Event>({
    ...{ type: resourceTypes.event, namespace, fieldSelector: `involvedObject.uid=${uid}` },
    ...(signal !== undefined && { signal }),
  });
  const event = items.findLast(({ reason }) => reason === reasons.archived || reason === reasons.failed);
  return event && { isArchived: event.reason === reasons.archived, text: event.message ?? "" };
}
