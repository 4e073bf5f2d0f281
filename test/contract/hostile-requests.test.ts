import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ContractClient, contractClient } from "./contract-client.ts";
import { type OpenTarget, openKubeconfig } from "./target.ts";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
// Inside node_modules, so that the packages it imports are found.
const directory = mkdtempSync(join(root, "node_modules", ".hostile-requests-"));
const program = join(directory, "program.mjs");

/** Heap of the server in MiB: a request that needs more ends it, and the test fails. */
const heapMiB = 256;

let server: ChildProcess;
let target: OpenTarget;
let client: ContractClient;

beforeAll(async () => {
  await build({
    input: join(root, "test", "contract", "api-program.ts"),
    platform: "node",
    external: (id) => !id.startsWith(".") && !isAbsolute(id),
    output: { file: program, format: "esm", codeSplitting: false },
    logLevel: "warn",
  });
  const args = [`--max-old-space-size=${heapMiB}`, program, join(directory, "cluster")];
  server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const kubeconfig = join(directory, "kubeconfig");
  writeFileSync(kubeconfig, await firstLine(server));
  target = openKubeconfig(kubeconfig);
  client = contractClient(target.transport);
});
afterAll(async () => {
  await target?.close();
  server.kill("SIGKILL");
  rmSync(directory, { recursive: true, force: true });
});

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("no output");
  for await (const line of createInterface({ input: stdout })) {
    const kubeconfig: unknown = JSON.parse(line);
    return String(kubeconfig);
  }
  throw new Error("the server ended");
}

const maps = "/api/v1/namespaces/default/configmaps";
const jsonPatch = { type: "application/json-patch+json" };

function create(name: string, fields: string) {
  const object = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"}${fields}}`;
  return client.call("POST", maps, object);
}

test("the text of a warning arrives in UTF-8", async () => {
  const { status, headers } = await create("warned", ',"é日本😀":1');
  const warning = Buffer.from(headers["warning"] ?? "", "latin1").toString("utf8");
  expect([status, warning]).toEqual([201, '299 - "unknown field \\"é日本😀\\""']);
});

test("copies in a JSON patch need little memory", async () => {
  await create("copied", `,"data":{"k":"${"x".repeat(1000)}"}`);
  const copies = Array.from({ length: 60 }, (_, index) => ({ op: "copy", from: "/data", path: `/data/${index}` }));
  expect((await client.call("PATCH", `${maps}/copied`, copies, jsonPatch)).status).toBe(422);
  const large = [
    { op: "add", path: "/data/a", value: "y".repeat(1_500_000) },
    ...copies.map(({ path }) => ({ op: "copy", from: "/data/a", path })),
  ];
  expect((await client.call("PATCH", `${maps}/copied`, large, jsonPatch)).status).toBe(422);
});

test("a watcher that does not read is disconnected", async () => {
  const ending = new AbortController();
  const path = `${maps}?watch=true&labelSelector=unread`;
  const request = { method: "GET", path, headers: { accept: "application/json" }, signal: ending.signal } as const;
  const { body } = await target.transport(request);
  const reader = body[Symbol.asyncIterator]();
  // More than the buffers of both sockets and of the server.
  const note = "x".repeat(20_000);
  const metadata = (index: number) => ({ name: `unread-${index}`, labels: { unread: "" }, annotations: { note } });
  const names = Array.from({ length: 3_000 }, (_, index) => index);
  for (let first = 0; first < names.length; first += 50) {
    const batch = names.slice(first, first + 50);
    await Promise.all(batch.map((index) => client.call("POST", maps, { metadata: metadata(index) })));
  }
  expect((await client.call("DELETE", `${maps}?labelSelector=unread`)).status).toBe(200);
  const readAll = async () => {
    for (let chunk = await reader.next(); chunk.done !== true; chunk = await reader.next());
  };
  await expect(readAll()).rejects.toThrow("aborted");
  expect((await client.call("GET", `${maps}?labelSelector=unread`)).body.items).toEqual([]);
});

test("deep nesting, many fields and long names need little memory", async () => {
  const bodies = [
    `,"x":${"[".repeat(1_500_000)}${"]".repeat(1_500_000)}`,
    `,"x":${'{"a":'.repeat(500_000)}1${"}".repeat(500_000)}`,
    `,${Array.from({ length: 200_000 }, (_, index) => `"u${index}":1`).join(",")}`,
    `,"${"x".repeat(3_000_000)}":1`,
  ];
  const responses = await Promise.all(bodies.map((fields, index) => create(`large-${index}`, fields)));
  expect(responses.map(({ status }) => status)).toEqual([400, 400, 201, 201]);
});
