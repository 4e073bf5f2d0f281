import type { LogLine, Observation, ObservedPod } from "./observation.ts";
import type { FaultRecord } from "./record-shape.ts";

/**
 * Builds the record of one observation. At the end of the record, a diagnosis finds what it finds in the observation.
 *
 * @param startedAt `observation.now` in RFC 3339, with ms
 */
export function recordOf(observation: Observation, startedAt: string): FaultRecord {
  const { now, properties, driver, executors, events, objects, rejection } = observation;
  const pods = [...(driver === undefined ? [] : [driver]), ...executors];
  return {
    ...{ startedAt, endMs: 0, properties, objects },
    ...(driver !== undefined && { driverPod: nameOf(driver) }),
    timeline: [
      {
        ...{ ms: 0, events },
        ...(driver !== undefined && { pod: driver.pod, deleted: driver.isDeleted }),
        executors: executors.map(({ pod }) => pod),
        executorsDeleted: executors.filter(({ isDeleted }) => isDeleted).map(nameOf),
      },
    ],
    ...(rejection !== undefined && {
      rejection: {
        ...{ ms: 0, request: `${rejection.method} ${rejection.path}`, status: rejection.status, body: rejection.body },
      },
    }),
    containerLogs: byPod(pods, (lines) => lines.map(({ text }) => text)),
    containerLogsMs: byPod(pods, (lines) => lines.map(({ at }) => at - now)),
  };
}

function byPod<T>(pods: readonly ObservedPod[], print: (lines: readonly LogLine[]) => T) {
  return Object.fromEntries(
    pods.map((pod) => [
      nameOf(pod),
      Object.fromEntries(Object.entries(pod.logs).map(([container, lines]) => [container, print(lines)])),
    ]),
  );
}

function nameOf({ pod }: ObservedPod): string {
  return pod.metadata?.name ?? "";
}
