import { expect, test } from "vitest";
import { gatewayStates } from "../../model/application.ts";
import type { ApplicationJson } from "./api.ts";
import { noFilter, selectApplications, stateGroups } from "./select-applications.ts";

function application(key: string, changes: Partial<ApplicationJson> = {}): ApplicationJson {
  return {
    ...{ key, protocol: "api", id: key, name: undefined, owner: undefined, proxyUser: undefined, namespace: "jobs" },
    ...{ podName: `${key}-driver`, queue: undefined, priority: 0, attempt: 1, appId: undefined, state: "running" },
    ...{ reason: undefined, message: undefined, exitCode: undefined, position: undefined, acceptedAt: undefined },
    ...{ startedAt: undefined, endedAt: undefined, nodeName: undefined, killedBy: undefined },
    ...{ executors: { running: 0, failed: 0, total: 0 }, ...changes },
  };
}

const all = [
  application("a", { name: "Nightly ETL", owner: "alice", queue: "nightly" }),
  application("b", { state: "failed", reason: "OOMKilled", owner: "alice" }),
  application("c", { protocol: "livy", namespace: "other" }),
];

test.each([
  ["states", { states: ["failed", "killed"] }, ["b"]],
  ["all terms in any field", { text: "etl ALICE" }, ["a"]],
  ["the reason", { text: "oomk" }, ["b"]],
  ["the default queue", { queue: "default" }, ["b", "c"]],
  ["several filters", { protocol: "livy", namespace: "other" }, ["c"]],
  ["nothing", {}, ["a", "b", "c"]],
])("selects by %s", (_, filter, keys) => {
  expect(selectApplications(all, { ...noFilter, ...filter }).map(({ key }) => key)).toEqual(keys);
});

test("every state is in one group", () => {
  const grouped = stateGroups.flatMap(({ states }): readonly string[] => states);
  expect(grouped.toSorted()).toEqual([...gatewayStates].sort());
});
