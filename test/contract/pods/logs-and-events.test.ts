import { describe } from "vitest";
import { nodeHost } from "../../../src/host/node-host.ts";
import { podClusters } from "../pod-cluster.ts";
import { isTerminated, sh, stateOf } from "../test-namespace.ts";
import { podChecks, running, terminated, waitsFor } from "./pod-checks.ts";

const { clock } = nodeHost();

describe.each(podClusters())("pods of $name", { concurrent: true }, (cluster) => {
  const check = podChecks(cluster);

  check("102 logs can be followed, limited, dated, and read from the previous run", async (space, { expect }) => {
    await space.pod("p", { containers: [sh("a", "echo one; sleep 1; echo two; printf three")] });
    await space.until("p", (pod) => running(pod) || isTerminated(pod));
    expect(await space.log("p", "follow=true")).toBe("one\ntwo\nthree");
    await space.until("p", isTerminated);
    expect(await space.log("p", "tailLines=2")).toBe("two\nthree");
    expect(await space.log("p", "limitBytes=5")).toBe("one\nt");
    expect(await space.log("p", "timestamps=true&tailLines=1")).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z three$/);
    const later = new Date(clock.now() + 3_600_000).toISOString();
    expect(await space.log("p", `sinceTime=${later}`)).toBe("");
    const volumeMounts = [{ name: "v", mountPath: "/v" }];
    await space.pod("again", {
      ...{ restartPolicy: "OnFailure", volumes: [{ name: "v", emptyDir: {} }] },
      containers: [sh("a", "echo run; [ -e /v/f ] && sleep 100; touch /v/f; exit 1", { volumeMounts })],
    });
    await space.until("again", (pod) => stateOf(pod).restarts === 1);
    expect(await space.log("again", "previous=true")).toBe("run\n");
  });

  check("102 the termination message of a container is its message", async (space, { expect }) => {
    await space.pod("file", { containers: [sh("a", "echo bye > /dev/termination-log; exit 1")] });
    await space.pod("own", {
      containers: [sh("a", "printf own > /tmp/last; exit 0", { terminationMessagePath: "/tmp/last" })],
    });
    const terminationMessagePolicy = "FallbackToLogsOnError";
    await space.pod("log", {
      containers: [sh("a", "echo one; echo two; exit 1", { terminationMessagePolicy })],
    });
    await space.pod("long", { containers: [sh("a", "seq 1 200; exit 1", { terminationMessagePolicy })] });
    await space.pod("fine", { containers: [sh("a", "echo one", { terminationMessagePolicy })] });
    const message = async (name: string) => terminated(await space.until(name, isTerminated))?.message;
    if (cluster.isolates) {
      expect(await message("file")).toBe("bye\n");
      expect(await message("own")).toBe("own");
    }
    expect(await message("log")).toBe("one\ntwo\n");
    expect((await message("long"))?.split("\n").slice(0, 1)).toEqual(["121"]);
    expect(await message("fine")).toBeUndefined();
  });

  check("103 missing logs are rejected with the kubelet's messages", async (space, { expect }) => {
    await space.pod("waits", {
      volumes: [{ name: "v", configMap: { name: "never" } }],
      containers: [sh("a", "true", { volumeMounts: [{ name: "v", mountPath: "/v" }] })],
    });
    await space.pod("two", { containers: [sh("a", "true"), sh("b", "true")] });
    await space.pod("inits", { initContainers: [sh("i", "sleep 100")], containers: [sh("a", "true")] });
    await space.until("waits", waitsFor("ContainerCreating"));
    await space.until("two", isTerminated);
    await space.until("inits", (pod) => stateOf(pod, "i").running !== undefined);
    const logResponse = async (name: string, query = "") => {
      const { status, body } = await space.client.call("GET", `${space.at("pods", name)}/log?${query}`);
      return `${status} ${body.message}`;
    };
    expect(await logResponse("waits")).toBe('400 container "a" in pod "waits" is waiting to start: ContainerCreating');
    expect(await logResponse("inits", "container=a")).toBe(
      '400 container "a" in pod "inits" is waiting to start: PodInitializing',
    );
    expect(await logResponse("two")).toBe("400 a container name must be specified for pod two, choose one of: [a b]");
    expect(await logResponse("two", "container=zz")).toBe("400 container zz is not valid for pod two");
    expect(await logResponse("two", "container=a&previous=true")).toBe(
      '400 previous terminated container "a" in pod "two" not found',
    );
    expect(await logResponse("two", "container=a&tailLines=-1")).toMatch(/^422 /);
  });

  check("105 events can be selected by their pod's uid, and are counted", async (space, { expect }) => {
    await space.pod("p", {
      volumes: [{ name: "v", configMap: { name: "never" } }],
      containers: [sh("a", "true", { volumeMounts: [{ name: "v", mountPath: "/v" }] })],
    });
    const { metadata } = await space.untilEvent("p", "FailedMount");
    const counted = async () => {
      const { count } = await space.untilEvent("p", "FailedMount");
      return count ?? 0;
    };
    while ((await counted()) < 3) await clock.sleep(200);
    const event = await space.untilEvent("p", "FailedMount");
    expect(event).toMatchObject({
      ...{ type: "Warning", source: { component: "kubelet" }, reportingComponent: "kubelet" },
      involvedObject: { kind: "Pod", name: "p", namespace: space.namespace, apiVersion: "v1" },
    });
    expect(event.metadata.name).toBe(metadata.name);
    expect(event.metadata.name).toMatch(/^p\.[0-9a-f]{16}$/);
  });
});
