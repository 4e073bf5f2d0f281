import { Agent, request } from "node:http";
import { setTimeout } from "node:timers/promises";

/** A request to a gateway. */
interface GatewayCall {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface GatewayReply {
  /** 0: the connection broke, or no complete response came in time. */
  readonly status: number;
  readonly text: string;
}

/** Times (ms) of requests that were sent at a constant rate. */
export interface Load {
  /** From the time at which a request was due, so that a slow server does not slow down the measurement. */
  readonly timesMs: readonly number[];
  /** Failed responses and broken connections, whose requests were repeated. */
  readonly repeated: number;
  /** Requests without success after all repetitions. */
  readonly lost: number;
  /** Time from the first request to the last response. */
  readonly seconds: number;
}

const agent = new Agent({ keepAlive: true });
const maxAttempts = 20;
const timeoutMs = 60_000;

/** Sends a request. */
export function fetchGateway(url: string, { method, path, body, headers = {} }: GatewayCall): Promise<GatewayReply> {
  const text = body === undefined ? "" : JSON.stringify(body);
  const all = { ...headers, "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  return new Promise((resolve) => {
    const broken = () => resolve({ status: 0, text: "" });
    const options = { method, headers: all, agent, signal: AbortSignal.timeout(timeoutMs) };
    const call = request(new URL(path, url), options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", broken);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
      );
    });
    call.on("error", broken).end(text);
  });
}

/** Does `count` actions, `perSecond` in a second, whether or not earlier ones have ended. */
export async function atRate(
  { count, perSecond }: { readonly count: number; readonly perSecond: number },
  action: (index: number) => Promise<number | undefined>,
): Promise<Load> {
  const started = performance.now();
  const timesMs: number[] = [];
  let [repeated, lost] = [0, 0];
  const act = async (index: number) => {
    const due = started + (index * 1000) / perSecond;
    const attempts = await action(index);
    timesMs.push(performance.now() - due);
    if (attempts === undefined) lost += 1;
    else repeated += attempts - 1;
  };
  const running: Promise<void>[] = [];
  while (running.length < count) {
    const due = Math.min(count, 1 + Math.floor(((performance.now() - started) * perSecond) / 1000));
    while (running.length < due) running.push(act(running.length));
    await setTimeout(1);
  }
  await Promise.all(running);
  return { timesMs, repeated, lost, seconds: (performance.now() - started) / 1000 };
}

/** Submits an application until the gateway accepts it. @returns the number of attempts; `undefined` if it does not accept it */
export async function submitApplication(url: string, name: string): Promise<number | undefined> {
  const body = { name, app: "local:///opt/app/app.jar", class: "org.example.Main", args: ["1000"] };
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const headers = { "idempotency-key": name };
    const { status, text } = await fetchGateway(url, { method: "POST", path: "/api/v1/applications", body, headers });
    if (status === 201 || status === 200) return attempt;
    if (status >= 400 && status < 500 && status !== 429) throw new Error(`The gateway rejects ${name}: ${text}`);
    await setTimeout(200 * attempt);
  }
  return undefined;
}

/** Returns the number of applications in some states; of all without states. */
export async function countApplications(url: string, states: readonly string[] = []): Promise<number> {
  const filter = states.length === 0 ? "" : `&state=${states.join(",")}`;
  const { text } = await fetchGateway(url, { method: "GET", path: `/api/v1/applications?limit=1${filter}` });
  const page: { total: number } = JSON.parse(text);
  return page.total;
}

/** Waits until every application has its driver. @throws Error if that takes longer than 10 minutes */
export async function waitForDrivers(url: string): Promise<void> {
  const started = performance.now();
  while ((await countApplications(url, ["queued", "submitting"])) > 0) {
    if (performance.now() - started > 600_000) throw new Error("Applications stay without drivers.");
    // Each response takes the gateway's time from submissions.
    await setTimeout(500);
  }
}

/** Returns the value below which a share of the numbers is. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
