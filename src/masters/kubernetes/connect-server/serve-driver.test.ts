import { createServer, type Http2Server } from "node:http2";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import type { Pod } from "../../../kube/types.ts";
import { type KubeClient, kubeClient } from "../../../kube-client/client.ts";
import { chunks, testApi } from "../../../kube-client/test-api.ts";
import { isGrpcServer } from "./is-grpc-server.ts";
import { serveDriver } from "./serve-driver.ts";

const driver: Pod = {
  metadata: {
    ...{ name: "notebook", namespace: "jobs", uid: "1", resourceVersion: "1" },
    labels: { "firesteel.dev/connect-server": "15010" },
  },
  spec: { containers: [{ name: "spark-kubernetes-driver" }] },
  status: { phase: "Running" },
};

async function listening(server: Http2Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Starts an HTTP/2 server that responds with a content type. */
function responding(type: string): Promise<number> {
  const server = createServer();
  server.on("stream", (stream) => stream.respond({ ":status": 200, "content-type": type }, { endStream: true }));
  return listening(server);
}

test("recognizes a gRPC server by its response", async () => {
  expect(await isGrpcServer(await responding("application/grpc"))).toBe(true);
  expect(await isGrpcServer(await responding("text/html"))).toBe(false);
  expect(await isGrpcServer(1)).toBe(false);
});

test("the port that the driver's label names is forwarded until the signal aborts", async () => {
  const host = testHost();
  const port = await responding("application/grpc");
  const api = testApi(({ path }) =>
    path.includes("watch=")
      ? { status: 200, stream: chunks("") }
      : { status: 200, body: { metadata: { resourceVersion: "1" }, items: [driver] } },
  );
  const targets: object[] = [];
  const client: KubeClient = {
    ...kubeClient({
      ...{ transport: api.transport, server: "https://h", clock: host.clock, requestTimeoutMs: 5000 },
      log: () => {},
    }),
    withoutRetries: () => client,
    async connectToPod(target) {
      targets.push(target);
      return connect(port, "127.0.0.1");
    },
  };
  const { clock, random } = host;
  const stopped = new AbortController();
  const ready: number[] = [];
  const ended = await serveDriver({
    ...{ client, clock, random, driver, localPort: 0, signal: stopped.signal, onFailure() {} },
    async onReady(local) {
      ready.push(local);
      stopped.abort();
      return "keep";
    },
  });
  expect(ended).toBeUndefined();
  expect(ready).toHaveLength(1);
  expect(targets).toEqual([{ namespace: "jobs", pod: "notebook", port: 15010 }]);
});
