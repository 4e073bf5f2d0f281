import { setTimeout } from "node:timers/promises";
import type { ApiTarget } from "../api-target.ts";
import { startDriver } from "../followed-applications.ts";
import { fetchGateway } from "../gateway-load.ts";

/** Numbers of applications and requests. */
export interface Totals {
  acknowledged: number;
  /** Requests that were sent again after a fault. */
  repeated: number;
  /** Applications that ended in the state that their drivers had. */
  ended: number;
  /** Applications that were not submitted, because too many waited for their acknowledgment. */
  skipped: number;
}

/** Applications that are submitted at a constant rate. */
export interface SoakLoad {
  readonly totals: Totals;
  /** Names of acknowledged applications. */
  readonly acknowledged: ReadonlySet<string>;
  /** Submits no more, and waits for the end of the others. */
  readonly stop: () => Promise<void>;
}

interface LoadCall {
  readonly target: ApiTarget;
  readonly namespace: string;
  /** URL of the gateway at present. */
  readonly url: () => string;
  /** Applications a second. */
  readonly rate: number;
  /** Time in which a step of an application must succeed. Longer than the outage of the API. */
  readonly timeoutMs: number;
  /** Gets what the gateway must not do. */
  readonly problems: string[];
}

interface Application {
  readonly key: string;
  readonly podName: string;
}

const runMs = 10_000;
const pollMs = 2000;
/** In an outage, further clients would only measure themselves. */
const maxUnacknowledged = 100;

/** Starts to submit applications, each of which runs for some seconds and then succeeds or loses its pod. */
export function startLoad(call: LoadCall): SoakLoad {
  const totals = { acknowledged: 0, repeated: 0, ended: 0, skipped: 0 };
  const [acknowledged, running] = [new Set<string>(), new Set<Promise<void>>()];
  const ending = new AbortController();
  let unacknowledged = 0;
  const run = async (name: string) => {
    unacknowledged += 1;
    const application = await submit(call, name, totals).finally(() => {
      unacknowledged -= 1;
    });
    acknowledged.add(name);
    totals.acknowledged += 1;
    await act(call, name, application);
    totals.ended += 1;
  };
  const submitAll = async () => {
    for (let index = 0; !ending.signal.aborted; index += 1) {
      if (unacknowledged >= maxUnacknowledged) totals.skipped += 1;
      else {
        const application = run(`soak-${index}`)
          .catch((error: unknown) => void call.problems.push(String(error)))
          .finally(() => running.delete(application));
        running.add(application);
      }
      await setTimeout(1000 / call.rate);
    }
  };
  const submitted = submitAll();
  return {
    ...{ totals, acknowledged },
    async stop() {
      ending.abort();
      await submitted;
      await Promise.all(running);
    },
  };
}

async function submit({ url, timeoutMs }: LoadCall, name: string, totals: Totals): Promise<Application> {
  const body = { name, app: "local:///opt/app/app.jar", class: "org.example.Main" };
  const call = { method: "POST", path: "/api/v1/applications", body, headers: { "idempotency-key": name } };
  let delayMs = 500;
  const started = performance.now();
  while (performance.now() - started < timeoutMs) {
    const { status, text } = await fetchGateway(url(), call);
    if (status === 201 || status === 200) return JSON.parse(text);
    if (status !== 0 && status !== 429 && status < 500) throw new Error(`${name} is rejected: ${text}`);
    totals.repeated += 1;
    await setTimeout(delayMs);
    // As clients that obey the gateway's Retry-After.
    delayMs = Math.min(delayMs * 2, 5000);
  }
  throw new Error(`${name} is not accepted in time.`);
}

/** Acts as the node of an application: the driver runs, and succeeds or is deleted. The gateway must report that. */
async function act(call: LoadCall, name: string, { key, podName }: Application): Promise<void> {
  const { target, namespace } = call;
  const path = `/api/v1/namespaces/${namespace}/pods/${podName}`;
  const doSurely = (what: string, action: () => Promise<boolean>) =>
    untilTrue(`${name} ${what}`, call.timeoutMs, action);
  const fetched = (request: Parameters<ApiTarget["fetchText"]>[0]) => target.fetchText(request).then(() => true);
  const deletePod = () =>
    fetched({ method: "DELETE", path: `${path}?gracePeriodSeconds=0` }).catch((error: unknown) => {
      if (String(error).includes(": 404")) return true;
      throw error;
    });
  const report = (request: Parameters<ApiTarget["fetchText"]>[0]) =>
    fetched(request).catch(async (error: unknown) => {
      const { state, reason, message } = await fetchState(call, name, key);
      if (state === "failed") throw new LostError(`${name} failed by itself: ${reason}, ${message}`);
      throw error;
    });
  await doSurely("has no driver", () => report(startDriver(namespace, podName)));
  await setTimeout(runMs);
  const isDeleted = Math.random() < 0.2;
  if (isDeleted) await doSurely("cannot be deleted", deletePod);
  else await doSurely("cannot end", () => report(endDriver(namespace, podName)));
  const expected = isDeleted ? "failed" : "succeeded";
  await doSurely(`does not become ${expected}`, async () => (await fetchState(call, name, key)).state === expected);
  await doSurely("cannot be deleted", deletePod);
}

interface ApplicationState {
  readonly state: string;
  readonly reason?: string;
  readonly message?: string;
}

/** @throws LostError if the gateway does not know the application; Error if it does not respond */
async function fetchState({ url }: LoadCall, name: string, key: string): Promise<ApplicationState> {
  const { status, text } = await fetchGateway(url(), { method: "GET", path: `/api/v1/applications/${key}` });
  if (status === 404) throw new LostError(`${name} is lost: the gateway does not know it.`);
  if (status !== 200) throw new Error(`status ${status} ${text}`);
  return JSON.parse(text);
}

/** An application cannot become what it should be. */
class LostError extends Error {}

/** Repeats what a fault can prevent. @throws Error after the timeout, and `LostError` */
async function untilTrue(failure: string, timeoutMs: number, action: () => Promise<boolean>): Promise<void> {
  const started = performance.now();
  let reason = "";
  while (performance.now() - started < timeoutMs) {
    try {
      if (await action()) return;
    } catch (error) {
      if (error instanceof LostError) throw error;
      reason = `: ${String(error)}`;
    }
    await setTimeout(pollMs);
  }
  throw new Error(`${failure}${reason}`);
}

/** Returns the request by which a node reports that a driver has succeeded. */
function endDriver(namespace: string, name: string) {
  const time = new Date().toISOString().replace(/\.\d+/, "");
  const container = { name: "spark-kubernetes-driver", image: "spark:4.3.0", imageID: "", restartCount: 0 };
  const terminated = { exitCode: 0, startedAt: time, finishedAt: time };
  const status = { phase: "Succeeded", containerStatuses: [{ ...container, ready: false, state: { terminated } }] };
  return { method: "PATCH", path: `/api/v1/namespaces/${namespace}/pods/${name}/status`, body: { status } };
}
