import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createPort, type Server } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import type { Pod } from "../../../kube/types.ts";
import { type KubeClient, kubeClient } from "../../../kube-client/client.ts";
import { chunks, testApi } from "../../../kube-client/test-api.ts";
import { forwardUi } from "./forward-ui.ts";

const driver: Pod = {
  metadata: { name: "etl-driver", namespace: "jobs", uid: "1", resourceVersion: "1" },
  spec: { containers: [{ name: "spark-kubernetes-driver", ports: [{ name: "spark-ui", containerPort: 4041 }] }] },
  status: { phase: "Running" },
};

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address: AddressInfo | string | null = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** A client whose connections to pods end at a local port, and which records their targets. */
function clientTo(port: number) {
  const host = testHost();
  const targets: object[] = [];
  const api = testApi(({ path }) =>
    path.includes("watch=")
      ? { status: 200, stream: chunks("") }
      : { status: 200, body: { metadata: { resourceVersion: "1" }, items: [driver] } },
  );
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
  return { client, targets, host };
}

test("a local port leads to the port of the driver's UI until the signal aborts", async () => {
  const { client, targets, host } = clientTo(await listening(createServer((_, response) => response.end("jobs"))));
  const ended = new AbortController();
  let done: Promise<void> | undefined;
  const url = await new Promise<string>((onOpen) => {
    done = forwardUi({
      ...{ client, clock: host.clock, random: host.random, driver, localPort: 0, signal: ended.signal },
      ...{ onOpen, onFailure: () => {} },
    });
  });
  expect(await (await fetch(`${url}/jobs`)).text()).toBe("jobs");
  expect(targets).toEqual([{ namespace: "jobs", pod: "etl-driver", port: 4041 }]);
  ended.abort();
  await done;
  await expect(fetch(url)).rejects.toThrow();
});

test("a local port that is in use is reported (SUBMIT_ERR_UI_PORT)", async () => {
  const port = await listening(createPort());
  const { client, host } = clientTo(port);
  const forwarded = forwardUi({
    ...{
      client,
      clock: host.clock,
      random: host.random,
      driver,
      localPort: port,
      signal: new AbortController().signal,
    },
    ...{ onOpen: () => {}, onFailure: () => {} },
  });
  await expect(forwarded).rejects.toMatchObject({ code: "SUBMIT_ERR_UI_PORT" });
});
