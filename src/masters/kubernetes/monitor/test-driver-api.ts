import type { StopSignal } from "../../../errors/stop-signal.ts";
import type { TestClock } from "../../../host/test-clock.ts";
import type { ApiRequest, Transport } from "../../../kube/transport.ts";
import type { Pod } from "../../../kube/types.ts";
import { neverEndingStream, type TestResponse } from "../../../kube-client/test-api.ts";

/** Behavior of the cluster: changes of the driver's pod over time and at its deletion. */
export interface DriverBehavior {
  /** New states of the pod, by ms from the start. */
  readonly changes?: Readonly<Record<number, Pod>>;
  /** Returns the response to a deletion, by its number. */
  readonly onDelete?: (count: number) => TestResponse;
  /** Delay of that response in ms; the watch reports the deletion immediately. */
  readonly responseDelayMs?: number;
  /** State of the pod when the deletion arrives. @default unchanged */
  readonly meanwhile?: Pod;
  /** State in the watch event after the deletion. @default a DELETED event */
  readonly afterDelete?: Pod;
}

/** API of a namespace in which the driver's pod, `drv`, is the only object. */
interface TestDriverApi {
  readonly transport: Transport;
  readonly requests: readonly ApiRequest[];
}

interface TestDriverState {
  readonly behavior: DriverBehavior;
  pod: Pod;
  /** All watch events, which each watch receives from the start. */
  readonly events: string[];
  deletions: number;
  wake: () => void;
}

/** Starts the API and its changes of the pod. */
export function testDriverApi(clock: TestClock, pod: Pod, behavior: DriverBehavior): TestDriverApi {
  const state: TestDriverState = { behavior, pod, events: [], deletions: 0, wake() {} };
  const requests: ApiRequest[] = [];
  for (const [ms, changed] of Object.entries(behavior.changes ?? {}))
    clock.after(Number(ms), () => send(state, "MODIFIED", changed));
  return {
    requests,
    async transport(request) {
      requests.push(request);
      const { status, body, stream } = respond(state, request);
      if (request.method === "DELETE" && behavior.responseDelayMs !== undefined)
        await clock.sleep(behavior.responseDelayMs);
      return { status, headers: {}, body: toAsync(stream ?? [Buffer.from(JSON.stringify(body))]) };
    },
  };
}

function send(state: TestDriverState, type: string, object: Pod): void {
  state.pod = object;
  state.events.push(`${JSON.stringify({ type, object })}\n`);
  state.wake();
}

function respond(state: TestDriverState, request: ApiRequest): TestResponse {
  const { path, method, signal } = request;
  const isWatch = path.includes("watch=");
  if (!path.includes("metadata.name%3Ddrv") && !path.includes("/pods/drv")) {
    if (isWatch) return { status: 200, stream: neverEndingStream(signal) };
    return { status: 200, body: { items: [], metadata: { resourceVersion: "1" } } };
  }
  if (isWatch) return { status: 200, stream: watch(state, signal) };
  return method === "DELETE" ? onDelete(state) : { status: 200, body: state.pod };
}

function onDelete(state: TestDriverState): TestResponse {
  const { onDelete: respondTo, meanwhile = state.pod, afterDelete } = state.behavior;
  state.deletions += 1;
  state.pod = meanwhile;
  const response = respondTo?.(state.deletions) ?? { status: 200, body: {} };
  const type = afterDelete === undefined ? "DELETED" : "MODIFIED";
  if (response.status < 300) send(state, type, afterDelete ?? meanwhile);
  return response;
}

async function* watch(state: TestDriverState, signal: StopSignal | undefined): AsyncGenerator<Uint8Array> {
  for (let next = 0; ; ) {
    for (; next < state.events.length; next += 1) yield Buffer.from(state.events[next] ?? "");
    await new Promise<void>((resolve, reject) => {
      state.wake = resolve;
      signal?.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
    });
  }
}

async function* toAsync(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* body;
}
