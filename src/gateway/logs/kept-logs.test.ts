import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { chunks } from "../../kube-client/test-api.ts";
import { testDriver } from "../../plan/test-driver.ts";
import { keptLogs } from "./kept-logs.ts";
import { logStore } from "./log-store.ts";

test("a bucket that denies access is counted for each log, and logged once a minute", async () => {
  const server = createServer((_, response) => void response.writeHead(403).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const host = testHost();
  const settings = {
    "spark.hadoop.fs.s3a.endpoint": `http://127.0.0.1:${port}`,
    "spark.hadoop.fs.s3a.path.style.access": "true",
    "spark.hadoop.fs.s3a.access.key": "key",
    "spark.hadoop.fs.s3a.secret.key": "secret",
  };
  const logged: string[] = [];
  const kept = keptLogs({
    ...{ host, directory: "jobs/gateway", log: (_, text) => void logged.push(text) },
    store: logStore(host, { kind: "store", scheme: "s3a", uri: "s3a://b/logs" }, testDriver({ settings })),
  });
  for (const key of ["api-0", "api-1"]) {
    const owner = { key, attempt: 1 };
    const spooled = await kept.spool(owner, chunks("one\n"));
    expect(spooled.tail.lines).toEqual(["one"]);
    expect(await kept.store(owner, spooled)).toContain("403");
  }
  expect(logged).toEqual(["Cannot keep the log of a driver."]);
  expect(kept.counts()).toEqual({ kept: 0, failures: new Map([["keep", 2]]) });
  await kept.close();
  expect(host.files.list(host.files.temporaryRoot)).toEqual([`firesteel-gateway-logs-${host.pid}`]);
});
