import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "vitest";
import { nodeHost } from "../../../src/host/node-host.ts";
import { type Bucket, openBucket } from "../../../src/s3/bucket.ts";
import { available } from "../../requirements.ts";
import { interpreter, swift } from "./fetch-swift.ts";

/** OpenStack Swift with its S3 API, from Debian packages: an independent S3 server without conditional writes. */
export interface S3Server {
  readonly endpoint: string;
  /** Environment of AWS credentials. */
  readonly env: Readonly<Record<string, string>>;
  /** Creates a bucket. */
  readonly newBucket: () => Promise<string>;
  readonly open: (bucket: string) => Bucket;
  readonly keysIn: (bucket: string) => Promise<readonly string[]>;
  readonly stop: () => void;
}

const user = { accessKeyId: "test:tester", secretAccessKey: "testing" };

let buckets = 0;

/** Starts a server on free ports of an address. It ends with this process. */
export async function startSwift(address = "127.0.0.1"): Promise<S3Server> {
  const directory = mkdtempSync(join(tmpdir(), "firesteel-swift-"));
  const root = join(available(swift).directory, "root");
  const libraries = readdirSync(join(root, "usr", "lib")).filter((name) => name.endsWith("-linux-gnu"));
  const program = fileURLToPath(new URL("swift_server.py", import.meta.url));
  const child = spawn(interpreter, [program, directory, address], {
    env: {
      PATH: process.env["PATH"] ?? "",
      PYTHONPATH: join(root, "usr/lib/python3/dist-packages"),
      PYTHONDONTWRITEBYTECODE: "1",
      LD_LIBRARY_PATH: libraries.map((name) => join(root, "usr", "lib", name)).join(":"),
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const port = await portOf(child);
  const endpoint = `http://${address}:${port}`;
  const host = nodeHost();
  const open = (bucket: string) =>
    openBucket(host, {
      ...{ bucket, endpoint: new URL(endpoint), isPathStyle: true, region: "us-east-1" },
      credentials: async () => user,
    });
  return {
    ...{ endpoint, open },
    env: {
      AWS_ACCESS_KEY_ID: user.accessKeyId,
      AWS_SECRET_ACCESS_KEY: user.secretAccessKey,
      AWS_REGION: "us-east-1",
    },
    async newBucket() {
      buckets += 1;
      const bucket = `bucket-${process.pid}-${buckets}`;
      const opened = open(bucket);
      await opened.put("", "");
      opened.close();
      return bucket;
    },
    async keysIn(bucket) {
      const opened = open(bucket);
      const keys: string[] = [];
      for await (const { key } of opened.list("")) keys.push(key);
      opened.close();
      return keys;
    },
    stop() {
      child.kill("SIGKILL");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let stderrText = "";
    child.stderr?.on("data", (chunk) => {
      stderrText += chunk;
    });
    child.stdout?.once("data", (chunk) => resolve(Number(String(chunk))));
    child.on("error", reject);
    child.on("close", (code) => reject(new Error(`Swift ended with ${code}: ${stderrText.slice(-2000)}`)));
  });
}

/** Starts a server before the tests of a `describe` and stops it after them. */
export function swiftForTests(): () => S3Server {
  let server: S3Server | undefined;
  beforeAll(async () => {
    server = await startSwift();
  }, 120_000);
  afterAll(() => server?.stop());
  return () => {
    if (server === undefined) throw new Error("the S3 server has not started");
    return server;
  };
}

/** Proxy that counts the bytes sent to a server. */
export interface CountingProxy {
  readonly endpoint: string;
  readonly sentBytes: () => number;
  readonly close: () => void;
}

/** Opens a counting proxy to a local server. */
export async function openCountingProxy(endpoint: string): Promise<CountingProxy> {
  let bytes = 0;
  const server: Server = createServer((socket) => {
    const onward = connect(Number(new URL(endpoint).port), "127.0.0.1");
    socket.on("data", (chunk) => {
      bytes += chunk.length;
    });
    socket.pipe(onward).pipe(socket);
    for (const one of [socket, onward]) one.on("error", () => [socket, onward].map((each) => each.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    sentBytes: () => bytes,
    close: () => server.close(),
  };
}
