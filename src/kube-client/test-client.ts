import type { StopSignal } from "../errors/stop-signal.ts";
import { isSubmitError, type SubmitError } from "../errors/submit-error.ts";
import { testClock } from "../host/test-clock.ts";
import { resourceTypes } from "../kube/resources.ts";
import type { Pod } from "../kube/types.ts";
import { kubeClient } from "./client.ts";
import { type Fault, socketError, testApi } from "./test-api.ts";

/** Resource type of pods. */
export const podType = resourceTypes.pod;

/** The driver's pod. */
export const driverTarget = { type: podType, namespace: "ns", name: "drv" };

/** Body of the driver's pod. */
export const driverPod: Pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "drv" } };

/** Creates a client of an in-memory API. */
export function testClient(fault?: Fault) {
  const clock = testClock(Date.UTC(2026, 0, 1));
  const api = testApi(fault);
  const logged: string[] = [];
  const client = kubeClient({
    transport: api.transport,
    server: "https://api:6443",
    clock,
    requestTimeoutMs: 10_000,
    log: (_, __, text) => logged.push(text),
  });
  return { api, clock, client, logged };
}

/** Returns the error of a call that fails. */
export async function errorOf(promise: Promise<unknown>): Promise<SubmitError> {
  const error: unknown = await promise.then(
    () => new Error("it succeeded"),
    (reason: unknown) => reason,
  );
  if (isSubmitError(error)) return error;
  throw error;
}

export async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}

export function untilAborted(signal: StopSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(socketError("ABORT_ERR")), { once: true });
  });
}
