import { readFileSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { type ApiCluster, createNamespaceIn, freePort, startApiCluster } from "./api-cluster.ts";
import { type GatewayClients, send, startClients } from "./gateway-clients.ts";
import { type RunningProgram, start, temporaryDirectory } from "./programs.ts";
import { expectSubmittedOnce } from "./submitted-applications.ts";

/** Longer than a lease, on a busy machine. */
const failoverTimeoutMs = 120_000;
const intervalMs = 50;

interface Replica extends RunningProgram {
  readonly url: string;
  /** Cuts all connections of the replica to the API, also later ones. */
  readonly cutApi: () => void;
}

interface Replicas {
  readonly leader: Replica;
  readonly standby: Replica;
  /** Waits until the standby serves, and submits to it. */
  readonly failOver: () => Promise<void>;
  /** Checks the applications of all clients. */
  readonly expectSubmitted: () => Promise<void>;
}

/** Starts a replica, whose connections to the API pass a tunnel. */
async function startReplica(cluster: ApiCluster, namespace: string): Promise<Replica> {
  const { kubeconfig, cutApi } = await tunnelToApi(cluster);
  const port = await freePort();
  const options = ["--elect", "--port", String(port), "-n", namespace];
  const program = start(
    "firesteel",
    ["gateway", ...options, "--conf", "spark.kubernetes.container.image=spark:4.3.0"],
    { env: { ...cluster.env, KUBECONFIG: kubeconfig } },
  );
  return { ...program, url: `http://127.0.0.1:${port}`, cutApi };
}

async function tunnelToApi({ kubeconfig }: ApiCluster) {
  const text = readFileSync(kubeconfig, "utf8");
  const server = new URL(/server: (\S+)/.exec(text)?.[1] ?? "");
  const sockets = new Set<Socket>();
  let isCut = false;
  const tunnel = createServer((client) => {
    const inner = connect(Number(server.port), server.hostname);
    for (const socket of [client, inner]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        client.destroy();
        inner.destroy();
        sockets.delete(socket);
      });
    }
    // A firewall that drops packets closes nothing.
    if (isCut) return;
    client.pipe(inner);
    inner.pipe(client);
  });
  await new Promise<void>((resolve) => tunnel.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    tunnel.close();
  });
  const address = tunnel.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const own = join(temporaryDirectory(), "kubeconfig");
  const replaced = text.replace(
    /^( *)server: \S+/m,
    `$1server: https://127.0.0.1:${port}\n$1tls-server-name: ${server.hostname}`,
  );
  writeFileSync(own, replaced);
  return {
    kubeconfig: own,
    cutApi() {
      isCut = true;
      for (const socket of sockets) socket.unpipe();
    },
  };
}

const readiness = ({ url }: Replica) => send(url, { method: "GET", path: "/readyz" });
const isReady = async (replica: Replica) => (await readiness(replica)).status === 200;

/** Starts a leader, a standby and clients that use both, as behind a Service. */
async function startReplicas(): Promise<Replicas> {
  const cluster = await startApiCluster();
  const namespace = "elected";
  await createNamespaceIn(cluster, namespace);
  const leader = await startReplica(cluster, namespace);
  await vi.waitUntil(() => isReady(leader), { timeout: 60_000 });
  const standby = await startReplica(cluster, namespace);
  await vi.waitUntil(async () => (await readiness(standby)).status === 503, { timeout: 60_000 });
  let requests = 0;
  const clients = [startClients(() => [leader, standby][requests++ % 2]?.url ?? "", "before", intervalMs)];
  const waitForSubmissions = async (client: GatewayClients | undefined) =>
    vi.waitUntil(() => (client?.count() ?? 0) > 20, { timeout: 60_000 });
  await waitForSubmissions(clients[0]);
  return {
    ...{ leader, standby },
    async failOver() {
      const startedMs = performance.now();
      await vi.waitUntil(() => isReady(standby), { timeout: failoverTimeoutMs, interval: 20 });
      console.info(`The standby is ready after ${Math.round(performance.now() - startedMs)} ms.`);
      const after = startClients(() => standby.url, "after", intervalMs);
      clients.push(after);
      await waitForSubmissions(after);
    },
    async expectSubmitted() {
      for (const submitted of await Promise.all(clients.map((each) => each.stop())))
        await expectSubmittedOnce({ cluster, namespace, url: standby.url }, submitted);
    },
  };
}

test("a standby is not ready, and responds to all requests with 503 and when to try again", async () => {
  const { standby } = await startReplicas();
  const { status, headers } = await readiness(standby);
  expect([status, headers["retry-after"]]).toEqual([503, "1"]);
  for (const path of ["/batches", "/v1/submissions/readyz", "/api/v1/applications", "/ui"]) {
    const reply = await send(standby.url, { method: "GET", path });
    expect([path, reply.status, reply.headers["retry-after"]]).toEqual([path, 503, "1"]);
  }
  expect(await send(standby.url, { method: "GET", path: "/healthz" })).toMatchObject({ status: 200 });
});

test.each([
  { how: "is terminated", end: ({ child }: Replica) => child.kill("SIGTERM"), exit: 0 },
  { how: "is killed", end: ({ child }: Replica) => child.kill("SIGKILL"), exit: "SIGKILL" },
  { how: "loses its connection to the API", end: ({ cutApi }: Replica) => cutApi(), exit: 1 },
])("another gateway continues when the leader $how, and nothing is submitted twice", async ({ end, exit }) => {
  const { leader, failOver, expectSubmitted } = await startReplicas();
  end(leader);
  await failOver();
  expect(await leader.ended).toMatchObject({ exit });
  await expectSubmitted();
});

test("a leader that was suspended until another one led changes nothing afterwards, and ends", async () => {
  const { leader, failOver, expectSubmitted } = await startReplicas();
  leader.child.kill("SIGSTOP");
  await failOver();
  leader.child.kill("SIGCONT");
  expect(await leader.ended).toMatchObject({ exit: 1 });
  await expectSubmitted();
});
