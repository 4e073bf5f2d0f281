import { setTimeout } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { type ApiCluster, createNamespaceIn, freePort, startApiCluster } from "./api-cluster.ts";
import { send, startClients } from "./gateway-clients.ts";
import { type RunningProgram, start, temporaryDirectory } from "./programs.ts";
import { expectSubmittedOnce } from "./submitted-applications.ts";

/** Number of times that a gateway of each kind is killed; `npm run test:slow` sets more. */
const kills = Number(process.env["FIRESTEEL_KILLS"] ?? "10");
/** Limit per kill, which takes one to two seconds; more on a busy machine. */
const timeoutMs = 120_000 + kills * 6000;
/** Number of kills that share a namespace. */
const killsPerNamespace = 25;
/** Applications that a gateway acknowledges at most before it is killed. */
const maxAcknowledged = 15;
const maxDelayMs = 50;
const intervalMs = 20;

interface KilledGateway {
  readonly cluster: ApiCluster;
  readonly namespace: string;
  readonly storeOptions: readonly string[];
  readonly count: number;
}

/** A gateway that is started again and again at the same address. */
function gatewayIn({ cluster: { env }, namespace, storeOptions }: KilledGateway, port: number) {
  const image = ["--conf", "spark.kubernetes.container.image=spark:4.3.0"];
  const options = ["--port", String(port), "-n", namespace, ...image, ...storeOptions];
  return () => start("firesteel", ["gateway", ...options], { env });
}

async function isReady(url: string): Promise<boolean> {
  return (await send(url, { method: "GET", path: "/readyz" })).status === 200;
}

async function waitUntilReady(url: string, { ended }: RunningProgram): Promise<void> {
  void ended.then(({ exit, stderr }) => {
    if (exit !== "SIGKILL" && exit !== 0) throw new Error(stderr);
  });
  await expect.poll(() => isReady(url), { timeout: 60_000, interval: 20 }).toBe(true);
}

/** Kills a gateway at random moments while clients submit, and checks what has become of their applications. */
async function killAtRandom(killed: KilledGateway): Promise<number> {
  const { cluster, namespace, count } = killed;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  await createNamespaceIn(cluster, namespace);
  const launch = gatewayIn(killed, port);
  const startMs = performance.now();
  let gateway = launch();
  await waitUntilReady(url, gateway);
  const startupMs = performance.now() - startMs;
  const clients = startClients(() => url, namespace, intervalMs);
  for (let kill = 0; kill < count; kill += 1) {
    // Most kills hit while clients submit, some hit the start.
    const target = clients.count() + Math.floor(Math.random() * maxAcknowledged);
    if (kill % 5 === 0) await setTimeout(Math.random() * startupMs);
    else await vi.waitUntil(() => clients.count() > target, { timeout: 60_000, interval: 5 });
    await setTimeout(Math.random() * maxDelayMs);
    gateway.child.kill("SIGKILL");
    expect(await gateway.ended).toMatchObject({ exit: "SIGKILL" });
    gateway = launch();
  }
  await waitUntilReady(url, gateway);
  const submitted = await clients.stop();
  await expectSubmittedOnce({ cluster, namespace, url }, submitted);
  gateway.child.kill("SIGTERM");
  expect((await gateway.ended).exit).toBe(0);
  return submitted.acknowledged.size;
}

test.each([
  ["in Secrets", () => []],
  ["in a database", () => ["--store", temporaryDirectory()]],
] as const)(
  "a gateway with records %s that is killed at random moments loses no acknowledged application, and submits none twice",
  async (_, storeOptions) => {
    const cluster = await startApiCluster();
    let acknowledged = 0;
    for (let first = 0; first < kills; first += killsPerNamespace) {
      const count = Math.min(killsPerNamespace, kills - first);
      acknowledged += await killAtRandom({
        cluster,
        namespace: `killed-${first}`,
        storeOptions: storeOptions(),
        count,
      });
      if (kills > killsPerNamespace) console.info(`${first + count} kills, ${acknowledged} applications`);
    }
    expect(acknowledged).toBeGreaterThan(kills);
  },
  timeoutMs,
);
