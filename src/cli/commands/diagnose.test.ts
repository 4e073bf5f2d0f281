import { describe, expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { type Fault, neverEndingStream, testApi } from "../../kube-client/test-api.ts";
import { runDiagnoseCommand } from "./diagnose.ts";

const pod = {
  metadata: { name: "report-driver", namespace: "team-a", creationTimestamp: "2026-11-20T22:00:00Z" },
  spec: { containers: [{ name: "spark-kubernetes-driver", image: "spark:4.3.0" }] },
  status: { phase: "Pending" },
};
const containerStatuses = [{ name: "spark-kubernetes-driver", state: { terminated: { exitCode: 3 } } }];
const record = {
  startedAt: "2026-11-20T22:00:00.000Z",
  endMs: 5000,
  driverPod: "report-driver",
  timeline: [
    { ms: 10, pod },
    { ms: 4000, pod: { ...pod, spec: undefined, status: { phase: "Failed", containerStatuses } } },
  ],
  log: "no input today\n",
  logMs: [3900],
};

async function diagnose(...args: readonly string[]) {
  const host = testHost({ files: { "/r.json": JSON.stringify(record), "/broken.json": "{" } });
  return { exitCode: await runDiagnoseCommand(host, args), out: host.outText() };
}

describe("firesteel diagnose --record", () => {
  test("prints the final diagnosis, and returns 0", async () => {
    const { exitCode, out } = await diagnose("--record", "/r.json");
    expect(exitCode).toBe(0);
    expect(out).toContain("\n  Seen    log of the driver: no input today\n");
    expect(out).toContain("The application exited with code 3.\n  Cause   application-exit");
  });

  test("prints one JSON object with --json", async () => {
    const { out } = await diagnose("--record=/r.json", "--json");
    expect(JSON.parse(out)).toMatchObject({ cause: "application-exit", terminal: true, key: null });
  });

  test.each([
    ["a pod with a container that is null", { timeline: [{ ms: 0, pod: { ...pod, spec: { containers: [null] } } }] }],
    ["a record of a year", { endMs: 365 * 24 * 3600 * 1000 }],
    ["a negative end", { endMs: -1 }],
  ])("rejects %s", async (_what, changed) => {
    const host = testHost({ files: { "/r.json": JSON.stringify({ ...record, ...changed }) } });
    const rejection = runDiagnoseCommand(host, ["--record", "/r.json", "--timeline"]);
    await expect(rejection).rejects.toThrow("/r.json is not a record of a submission: ");
  });

  test("uses only what was known at the time of --at", async () => {
    const { out } = await diagnose("--record", "/r.json", "--json", "--at", "3999");
    expect(JSON.parse(out)).toMatchObject({ cause: "none", terminal: false, evidence: [] });
    await expect(diagnose("--record", "/r.json", "--at", "soon")).rejects.toThrow("--at");
  });

  test("prints each change of the diagnosis with its time with --timeline", async () => {
    const { out } = await diagnose("--record", "/r.json", "--timeline");
    const changes = out
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    expect(changes).toMatchObject([
      { ms: 0, cause: "none" },
      { ms: 4000, cause: "application-exit" },
    ]);
  });

  test("rejects an invalid record (SUBMIT_ERR_RECORD), and a missing one", async () => {
    await expect(diagnose("--record", "/nowhere.json")).rejects.toThrow("/nowhere.json is not a record");
    await expect(diagnose("--record", "/broken.json")).rejects.toThrow("it is not JSON");
    await expect(diagnose("--record")).rejects.toThrow("--record");
  });

  test("prints usage", async () => {
    expect((await diagnose("--help")).out).toMatch(
      /^Usage: firesteel diagnose ID .*\n.*diagnose BUNDLE .*\n.*diagnose --record FILE/,
    );
  });
});

describe("firesteel diagnose ID", () => {
  const live = {
    ...pod,
    metadata: { ...pod.metadata, uid: "u", resourceVersion: "5", labels: { "spark-role": "driver" } },
    status: {
      phase: "Pending",
      containerStatuses: [
        {
          name: "spark-kubernetes-driver",
          image: "spark:0",
          state: {
            waiting: { reason: "InvalidImageName", message: 'couldn\'t parse image name "spark:::"' },
          },
        },
      ],
    },
  };

  async function diagnoseLive(fault: Fault, ...args: readonly string[]) {
    const host = testHost({ env: { HOME: "/home/tester" } });
    const api = testApi(fault);
    const running = runDiagnoseCommand(host, ["--master", "k8s://https://h", ...args], async (_, { server }) =>
      kubeClient({
        ...{ transport: api.transport, server, clock: host.clock, requestTimeoutMs: 5000 },
        log: () => {},
      }),
    );
    return { exitCode: await host.settle(running), out: host.outText(), api };
  }

  const serve =
    (object: object): Fault =>
    ({ path, signal }) => {
      if (path.endsWith("/pods/report-driver")) return { status: 200, body: object };
      return path.includes("watch=") ? { status: 200, stream: neverEndingStream(signal) } : undefined;
    };

  test("reads the cluster, and prints the problem of the driver", async () => {
    const { exitCode, out, api } = await diagnoseLive(serve(live), "team-a:report-driver", "--json");
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ cause: "image-name-invalid", terminal: true });
    expect(api.requests.every(({ method }) => method === "GET")).toBe(true);
  });

  test("watches for some seconds if there is no problem yet", async () => {
    const healthy = { ...live, status: { phase: "Running", containerStatuses: [] } };
    const { out } = await diagnoseLive(serve(healthy), "-n", "team-a", "report-driver");
    expect(out).toBe("No problem found with the driver.\n");
  });

  test("requires the ID of a driver", async () => {
    await expect(diagnose("--json")).rejects.toThrow("diagnose");
  });
});
