import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { testDriver } from "../../plan/test-driver.ts";
import { type LogStore, logStore } from "./log-store.ts";

const id = { directory: "jobs/gateway/api-0", name: "driver-1.log.gz" };
const { signal } = new AbortController();

async function contentOf(store: LogStore): Promise<string | undefined> {
  const file = await store.open(id);
  if (file === undefined) return undefined;
  const pieces: Uint8Array[] = [];
  for await (const piece of file.body) pieces.push(piece);
  file.close();
  return Buffer.concat(pieces).toString();
}

test("a directory has a file until it is removed, readable for its owner only", async () => {
  const host = testHost({ files: { "/tmp/draft": "log" } });
  const store = logStore(host, { kind: "directory", path: "kept/" }, testDriver());
  expect(await contentOf(store)).toBeUndefined();
  await store.put(id, "/tmp/draft", signal);
  expect(await contentOf(store)).toBe("log");
  expect((host.files.info("/home/tester/job/kept/jobs/gateway/api-0")?.mode ?? 0) & 0o777).toBe(0o700);
  await store.remove(id.directory);
  expect(await contentOf(store)).toBeUndefined();
});

/** Starts a bucket of objects in memory. @returns settings with which it is used */
async function startBucket() {
  const objects = new Map<string, Buffer>();
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://s3");
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (searchParams.has("prefix")) {
      const keys = [...objects.keys()].filter((path) => path.startsWith(`/b/${searchParams.get("prefix")}`));
      const entries = keys.map((path) => `<Contents><Key>${path.slice(3)}</Key><Size>1</Size></Contents>`);
      response.end(`<ListBucketResult>${entries.join("")}</ListBucketResult>`);
    } else if (request.method === "PUT") {
      objects.set(pathname, Buffer.concat(chunks));
      response.end();
    } else if (request.method === "DELETE") {
      objects.delete(pathname);
      response.writeHead(204).end();
    } else {
      const found = objects.get(pathname);
      response.writeHead(found === undefined ? 404 : 200).end(found);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const settings = {
    "spark.hadoop.fs.s3a.endpoint": `http://127.0.0.1:${port}`,
    "spark.hadoop.fs.s3a.path.style.access": "true",
    "spark.hadoop.fs.s3a.access.key": "key",
    "spark.hadoop.fs.s3a.secret.key": "secret",
  };
  return { objects, settings };
}

test("a bucket has a file until it is removed", async () => {
  const { objects, settings } = await startBucket();
  const host = testHost({ files: { "/tmp/draft": "log" } });
  const location = { kind: "store", scheme: "s3a", uri: "s3a://b/logs" } as const;
  const store = logStore(host, location, testDriver({ settings }));
  expect(await contentOf(store)).toBeUndefined();
  await store.put(id, "/tmp/draft", signal);
  expect([...objects.keys()]).toEqual(["/b/logs/jobs/gateway/api-0/driver-1.log.gz"]);
  expect(host.files.info("/tmp/draft")).toBeUndefined();
  expect(await contentOf(store)).toBe("log");
  await store.remove(id.directory);
  expect(objects.size).toBe(0);
  store.close();
});
