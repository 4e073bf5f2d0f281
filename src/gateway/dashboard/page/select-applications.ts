import type { ApplicationJson } from "./api.ts";

/** Filters of the list; empty ones select everything. */
export interface ListFilter {
  readonly states: readonly string[];
  readonly text: string;
  readonly queue: string;
  readonly namespace: string;
  readonly protocol: string;
}

export const noFilter: ListFilter = { states: [], text: "", queue: "", namespace: "", protocol: "" };

/** Groups of states that people look for, in the order of a life. */
export const stateGroups = [
  { name: "Waiting", states: ["queued", "submitting"] },
  { name: "Starting", states: ["pending"] },
  { name: "Running", states: ["running"] },
  { name: "Succeeded", states: ["succeeded"] },
  { name: "Failed", states: ["failed"] },
  { name: "Killed", states: ["killed"] },
] as const;

/** States of applications that have ended. */
export const finalStates: readonly string[] = ["succeeded", "failed", "killed"];

/** Selects applications, in the order of the list. */
export function selectApplications(all: readonly ApplicationJson[], filter: ListFilter): readonly ApplicationJson[] {
  const terms = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (expected: string, value: string | undefined) => expected === "" || expected === value;
  return all.filter((application) => {
    const { state, queue, namespace, protocol } = application;
    return (
      (filter.states.length === 0 || filter.states.includes(state)) &&
      fits(filter.queue, queueOf({ queue })) &&
      fits(filter.namespace, namespace) &&
      fits(filter.protocol, protocol) &&
      (terms.length === 0 || containsAll(searchText(application), terms))
    );
  });
}

/** Returns the queue of an application. Those that name none are in `default`. */
export function queueOf({ queue = "default" }: Pick<ApplicationJson, "queue">): string {
  return queue;
}

function searchText(application: ApplicationJson) {
  const { name = "", id, owner = "", proxyUser = "", podName, appId = "", reason = "", message = "" } = application;
  return [name, id, owner, proxyUser, podName, appId, reason, message].join("\n").toLowerCase();
}

function containsAll(text: string, terms: readonly string[]): boolean {
  return terms.every((term) => text.includes(term));
}
