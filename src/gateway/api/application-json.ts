import type { GatewayApplication, GatewayState } from "../model/application.ts";
import type { UiLinks } from "../ui/ui-links.ts";
import { timeText } from "./time-text.ts";

/** A change of the state of an application. Times are RFC 3339. */
interface HistoryEntry {
  readonly state: GatewayState | "scheduled";
  readonly time: string;
}

/** An application as the API shows it. */
export type ApplicationJson = ReturnType<typeof applicationJson>;

/** An application with its course. */
export type ApplicationDetails = ReturnType<typeof applicationDetails>;

/** Returns an application as the API shows it, without its settings: they can contain credentials. */
export function applicationJson(application: GatewayApplication, { uiUrl, historyUrl }: UiLinks) {
  const { record, state, driver, executors, waiting, schedulerMessage } = application;
  const { key, protocol, id, name, owner, proxyUser, namespace, podName, queue, priority, attempt, appId, end } =
    record;
  return {
    ...{ key, protocol, id, name, owner, proxyUser, namespace, podName, queue, priority, attempt, appId, state },
    ...(record.schedule !== undefined && { schedule: record.schedule.name }),
    reason: end?.reason ?? driver?.reason ?? waiting?.reason,
    message: end?.message ?? schedulerMessage ?? driver?.message,
    exitCode: end?.exitCode,
    position: waiting?.position,
    acceptedAt: timeText(record.acceptedMs),
    startedAt: timeText(driver?.startedMs),
    endedAt: timeText(end?.atMs),
    nodeName: driver?.nodeName,
    ...(uiUrl !== undefined && { uiUrl }),
    ...(historyUrl !== undefined && { historyUrl }),
    killedBy: record.killed === undefined ? undefined : (record.killed.by ?? "anonymous"),
    executors: {
      running: executors.filter((executor) => executor.state === "running").length,
      failed: executors.filter((executor) => executor.state === "failed").length,
      total: executors.length,
    },
  };
}

/** Returns an application with everything that is known about its course. */
export function applicationDetails(application: GatewayApplication, links: UiLinks) {
  const { executors } = application;
  return {
    ...applicationJson(application, links),
    history: historyOf(application),
    executorList: executors.map(({ id, podName, state, createdMs, endedMs, reason }) => {
      return { id, podName, state, reason, createdAt: timeText(createdMs), endedAt: timeText(endedMs) };
    }),
    submissionLog: application.submissionLog,
    ...(application.record.end?.log !== undefined && { log: application.record.end.log }),
  };
}

function historyOf({ record, driver, state }: GatewayApplication): readonly HistoryEntry[] {
  const times: readonly (readonly [HistoryEntry["state"], number | undefined])[] = [
    ["queued", record.acceptedMs],
    ["pending", driver?.createdMs],
    ["scheduled", driver?.scheduledMs],
    ["running", driver?.startedMs],
    [state, record.end?.atMs],
  ];
  return times.flatMap(([reached, atMs]) => {
    const time = timeText(atMs);
    return time === undefined ? [] : [{ state: reached, time }];
  });
}
