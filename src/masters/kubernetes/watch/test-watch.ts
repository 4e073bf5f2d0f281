import { behaviorsOf } from "../../../conf/behaviors.ts";
import { testHost } from "../../../host/test-host.ts";
import type { ApiRequest } from "../../../kube/transport.ts";
import type { Pod } from "../../../kube/types.ts";
import { kubeClient } from "../../../kube-client/client.ts";
import { chunks, neverEndingStream, type TestResponse } from "../../../kube-client/test-api.ts";
import { latestPod } from "./latest-pod.ts";
import { watchDriver } from "./watch-driver.ts";

const container = "spark-kubernetes-driver";

/** Creates the driver's pod; `version` is its resourceVersion. */
export function driverPod(version: number, phase = "Pending", state: object = {}, uid = "u"): Pod {
  const status = { name: container, image: "img", imageID: "", ready: false, restartCount: 0, state };
  return {
    metadata: { name: "drv", namespace: "ns", uid, resourceVersion: String(version) },
    status: { phase, ...(Object.keys(state).length > 0 && { containerStatuses: [status] }) },
  };
}

/** Pod of a driver that was created. */
export const createdPod = driverPod(1);

/** Pod of a driver that runs. */
export const runningPod = driverPod(5, "Running", { running: {} });

/** Returns the state of a container that ended. */
export const terminatedState = (exitCode: number, reason: string) => ({ terminated: { exitCode, reason } });

/** Pod of a driver that succeeded. */
export const succeededPod = driverPod(9, "Succeeded", terminatedState(0, "Completed"));

/** Pod of a driver that was killed. */
export const failedPod = driverPod(9, "Failed", terminatedState(137, "OOMKilled"));

const driverLog = "2026-01-01T00:00:01Z Pi is roughly 3.14\n";

/** Response to a watch or a GET. */
export type WatchResponse = TestResponse | Error | "silence";

/** Creates a watch that sends these events and then ends, or breaks. */
export function watchResponse(...events: readonly (readonly [string, object] | Error)[]): TestResponse {
  const parts = events.map((event) =>
    event instanceof Error ? event : `${JSON.stringify({ type: event[0], object: event[1] })}\n`,
  );
  return { status: 200, stream: chunks(...parts) };
}

/** Waits for the driver; `watches` and `gets` are the responses in their order, the last one repeatedly. */
export function watchTestDriver(
  watches: readonly WatchResponse[],
  gets: readonly WatchResponse[] = [{ status: 200, body: runningPod }],
) {
  const host = testHost();
  const requests: ApiRequest[] = [];
  const logged: string[] = [];
  const abort = new AbortController();
  const next = { watch: 0, get: 0 };
  const transport = async (request: ApiRequest) => {
    requests.push(request);
    if (request.path.includes("/log?")) return { status: 200, headers: {}, body: chunks(driverLog) };
    const isWatch = request.path.includes("watch=true");
    const responses = isWatch ? watches : gets;
    const number = Math.min(next[isWatch ? "watch" : "get"]++, responses.length - 1);
    const response = responses[number] ?? "silence";
    if (response instanceof Error) throw response;
    if (response === "silence") return { status: 200, headers: {}, body: neverEndingStream(request.signal) };
    const { status, headers = {}, body = {}, stream } = response;
    return { status, headers, body: stream ?? chunks(JSON.stringify(body)) };
  };
  const { clock, random } = host;
  const log = (_: string, __: string, text: string) => logged.push(text);
  const client = kubeClient({
    transport,
    server: "https://api",
    clock,
    log: () => {},
    requestTimeoutMs: 10_000,
  });
  const call = {
    ...{ client, clock, random, log, container, latest: latestPod(createdPod), signal: abort.signal },
    app: { name: "pi", id: "spark-1" },
    reportIntervalMs: () => 1000,
    traits: { strayBraceInWaitingLine: false, watchNamesPodFirst: false },
    behaviors: behaviorsOf({}),
    cluster: { master: "k8s://https://h" },
  };
  const end = (more: Partial<Parameters<typeof watchDriver>[0]> = {}) =>
    clock.settle(watchDriver({ ...call, ...more }));
  const heads = () => logged.map((text) => text.split("\n")[0]);
  return { abort, call, clock, end, heads, host, logged, requests };
}

/** First line of a block about the pod's state. */
export const stateChanged = "State changed, new state: ";

/** Words by which Spark identifies the driver. */
export const driverIdentity = "with application ID spark-1 and submission ID ns:drv";
