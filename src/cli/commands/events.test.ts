import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { refused, testApi } from "../../kube-client/test-api.ts";
import { runEventsCommand } from "./events.ts";

const driver = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    ...{ name: "pi-0000000000000001-driver", namespace: "a", uid: "u", creationTimestamp: "2026-01-01T10:00:00Z" },
    labels: { "spark-role": "driver", "spark-app-selector": "spark-1", "spark-app-name": "pi" },
  },
  spec: { containers: [{ name: "spark-kubernetes-driver" }] },
  status: {
    phase: "Succeeded",
    containerStatuses: [
      {
        ...{ name: "spark-kubernetes-driver", image: "", imageID: "", ready: false, restartCount: 0 },
        state: { terminated: { exitCode: 0, finishedAt: "2026-01-01T10:05:00Z" } },
      },
    ],
  },
};
const own = "pi-00000000000000aa";
const other = "pi-00000000000000bb";

function event(object: string, time: string) {
  return {
    metadata: { name: `${object}-${time}` },
    ...{ involvedObject: { kind: "Pod", name: object }, reason: "Started", message: "m" },
    ...{ firstTimestamp: `2026-01-01T${time}Z`, lastTimestamp: `2026-01-01T${time}Z` },
  };
}

function executor(prefix: string, appId: string) {
  return { metadata: { name: `${prefix}-exec-1`, labels: { "spark-role": "executor", "spark-app-selector": appId } } };
}

interface Served {
  readonly events: readonly object[];
  readonly executors?: readonly object[];
  readonly deniesPods?: boolean;
}

async function objectsOf({ events, executors = [], deniesPods = false }: Served): Promise<readonly string[]> {
  const host = testHost({ env: { HOME: "/home/tester" } });
  const { transport } = testApi(({ path }) => {
    if (path.includes("/events")) return { status: 200, body: { items: events } };
    if (path.includes("executor"))
      return deniesPods ? refused(403, "denied") : { status: 200, body: { items: executors } };
    if (path.endsWith(`/pods/${driver.metadata.name}`)) return { status: 200, body: driver };
    return undefined;
  });
  const args = [driver.metadata.name, "--master", "k8s://https://h", "-n", "a", "--json"];
  const exit = await host.settle(
    runEventsCommand(host, args, async (_, { server }) =>
      kubeClient({ transport, server, clock: host.clock, requestTimeoutMs: 5000, log: () => {} }),
    ),
  );
  expect(exit).toBe(0);
  const printed: { events: readonly { object: string }[] } = JSON.parse(host.outText());
  return printed.events.map(({ object }) => object.replace("Pod/", ""));
}

const ofDriver = event(driver.metadata.name, "10:00:01");
const deleted = event(`${own}-exec-2`, "10:01:00");

test("shows the events of existing and deleted executors, whose prefix differs from the driver's", async () => {
  const events = [ofDriver, event(`${own}-exec-1`, "10:00:30"), deleted, event(`${other}-exec-1`, "10:02:00")];
  const executors = [executor(own, "spark-1"), executor(other, "spark-2")];
  const expected = [driver.metadata.name, `${own}-exec-1`, `${own}-exec-2`];
  expect(await objectsOf({ events, executors })).toEqual(expected);
});

test.each([
  ["of the driver's lifetime", [deleted, event(`${other}-exec-1`, "10:07:00")], true],
  ["and not those of existing executors of other applications", [deleted, event(`${other}-exec-1`, "10:02:00")], true],
  ["unless two applications of the same name ran", [deleted, event("pi-00000000000000cc-exec-1", "10:02:00")], false],
])("after all executors are deleted, shows events of the same application name %s", async (_, events, isShown) => {
  const shown = await objectsOf({ events: [ofDriver, ...events], executors: [executor(other, "spark-2")] });
  expect(shown).toEqual([driver.metadata.name, ...(isShown ? [`${own}-exec-2`] : [])]);
});

test("without the permission to list pods, shows the events of the only matching executors", async () => {
  const shown = await objectsOf({ events: [ofDriver, deleted], deniesPods: true });
  expect(shown).toEqual([driver.metadata.name, `${own}-exec-2`]);
});
