import { reportEnd, reportStart } from "../logs/report.ts";
import type { GatewayApplication, GatewayState } from "../model/application.ts";
import type { UiLinks } from "../ui/ui-links.ts";

/** State of a batch. Clients treat the last three as final. */
export type BatchState = "starting" | "running" | "success" | "dead" | "killed";

const states: Readonly<Record<GatewayState, BatchState>> = {
  queued: "starting",
  submitting: "starting",
  pending: "starting",
  running: "running",
  succeeded: "success",
  failed: "dead",
  killed: "killed",
};

/** Lines of the log that a batch shows. */
export const shownLogLines = 10;

/** All states of batches. */
export const batchStates: readonly string[] = [...new Set(Object.values(states))];

/** Returns Livy's state of an application. */
export function batchState({ state }: Pick<GatewayApplication, "state">): BatchState {
  return states[state];
}

/** Returns a batch as JSON. All keys are always present. */
export function batchJson(
  application: GatewayApplication,
  { log, links }: { readonly log: readonly string[]; readonly links: UiLinks },
) {
  const { id, name, owner, proxyUser, appId } = application.record;
  return {
    id: Number(id),
    name: name ?? null,
    owner: owner ?? null,
    proxyUser: proxyUser ?? null,
    state: batchState(application),
    appId: appId ?? null,
    appInfo: {
      driverLogUrl: null,
      sparkUiUrl: links.uiUrl ?? links.historyUrl ?? null,
      executorLogUrls: null,
    },
    log,
  };
}

/** Returns the last lines of a log as far as they are in memory: a list of batches must not read a log for each. */
export function knownLogTail(application: GatewayApplication): readonly string[] {
  const logTail = application.record.end?.logTail ?? [];
  return [reportStart, ...logTail, ...reportEnd(application)].slice(-shownLogLines);
}
