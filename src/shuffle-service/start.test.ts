/** @module-tag long */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testCertificate, testKey } from "../kube-client/test-certificate.ts";
import { testFetch } from "./protocol/test-requests.ts";
import { testExecutor, testService } from "./test-service.ts";

function fetchText(
  port: number | undefined,
  path: string,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, path }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    }).on("error", reject);
  });
}

test("serves metrics and health checks", async () => {
  const service = await testService({ metrics: { address: "127.0.0.1", port: 0 } });
  const executor = testExecutor(service.root);
  const client = await service.connect();
  await client.rpc(executor.registration);
  executor.writeBlocks(1, 0n, ["zero", "one", "two"]);
  await client.fetch(testFetch(executor.key, 1, [[0n, [0, 3]]], true));
  await client.open(testFetch(executor.key, 1, [[0n, [0]]]));
  await expect(client.rpc(Buffer.from([99]))).rejects.toThrow("Unknown message type");
  const { text } = await fetchText(service.metricsPort, "/metrics");
  const values = Object.fromEntries(text.split("\n").map((line) => line.split(" ")));
  expect(values).toMatchObject({
    spark_shuffle_transferred_blocks_total: "3",
    spark_shuffle_transferred_chunks_total: "1",
    spark_shuffle_transferred_bytes_total: "10",
    spark_shuffle_registered_executors: "1",
    spark_shuffle_applications: "1",
    spark_shuffle_active_connections: "1",
    spark_shuffle_open_streams: "1",
    spark_shuffle_chunks_being_transferred: "0",
    spark_shuffle_open_block_request_seconds_count: "2",
    spark_shuffle_register_executor_request_seconds_count: "1",
    spark_shuffle_index_cache_misses_total: "1",
    'spark_shuffle_errors_total{kind="protocol"}': "1",
    'spark_shuffle_errors_total{kind="authentication"}': "0",
  });
  expect(Number(values[`spark_shuffle_local_dir_free_bytes{dir="${service.root}"}`])).toBeGreaterThan(0);
  expect(await fetchText(service.metricsPort, "/healthz")).toEqual({ status: 200, text: "ok" });
  expect(await fetchText(service.metricsPort, "/readyz")).toMatchObject({ status: 200 });
  rmSync(service.root, { recursive: true });
  const unready = await fetchText(service.metricsPort, "/readyz");
  expect(unready).toMatchObject({ status: 503, text: expect.stringContaining("does not exist") });
  expect((await fetchText(service.metricsPort, "/x")).status).toBe(404);
});

test("names every metric in the documentation", async () => {
  const service = await testService({ metrics: { address: "127.0.0.1", port: 0 } });
  const { text } = await fetchText(service.metricsPort, "/metrics");
  const names = [...text.matchAll(/^# HELP (spark_shuffle_\w+)/gm)].map(([, name = ""]) => name);
  const page = readFileSync(new URL("../../docs/shuffle-service.md", import.meta.url), "utf8");
  expect(names.length).toBeGreaterThan(15);
  expect(names.filter((name) => !page.includes(`\`${name}`))).toEqual([]);
});

test("does not start with a port in use, and frees what it has opened", async () => {
  const first = await testService();
  const root = first.root;
  const settings = { port: first.port, root, stateDirectory: join(root, "other") };
  await expect(testService(settings)).rejects.toMatchObject({ code: "SUBMIT_ERR_SHUFFLE_START" });
  await first.stop();
  await testService(settings);
});

test.each([
  ["a key that does not exist", "/nowhere", "the file /nowhere does not exist"],
  ["a key that is not PEM", "other.pem", "the.key is "],
])("does not start with %s", async (_name, path, reason) => {
  const { root } = await testService();
  const certificates = join(root, "cert.pem");
  writeFileSync(certificates, testCertificate);
  writeFileSync(join(root, "other.pem"), testKey.replace(/A/g, "B"));
  const key = path.startsWith("/") ? path : join(root, path);
  const tls = { kind: "pem" as const, key, certificates, password: "hidden", setting: "the.key" };
  const started = testService({ tls });
  await expect(started).rejects.toMatchObject({ code: "SUBMIT_ERR_SHUFFLE_FILE" });
  await expect(started).rejects.toThrow(reason);
  await expect(started).rejects.not.toThrow("hidden");
});

test("does not start with a secret file that is empty", async () => {
  const { root } = await testService();
  mkdirSync(join(root, "x"));
  writeFileSync(join(root, "x", "secret"), "");
  const authentication = {
    secrets: { kind: "file" as const, file: join(root, "x", "secret"), key: "the.key" },
    ...{ acceptsSasl: true, saslAlwaysEncrypts: false, maxEncryptedBlockBytes: 65_536 },
  };
  await expect(testService({ authentication })).rejects.toThrow("the.key is");
});
