import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { root, temporaryDirectory } from "../acceptance/programs.ts";
import { testWith } from "../test-with.ts";
import { driverPod, openFakeCluster } from "./fake-cluster.ts";
import {
  alone,
  contentOf,
  defaultForm,
  type Staging,
  sendRequest,
  someBytes,
  stageBlob,
  stageBundle,
  until,
} from "./staging-program.ts";

const mebibyte = 1024 * 1024;

interface SmallStaging extends Pick<Staging, "sendRequest" | "store"> {
  /** Log entries so far. */
  readonly log: () => readonly string[];
}

/** Starts a server whose store is a volume of 8 MiB. `store` is a path to the volume. */
function onSmallVolume(...options: string[]): Promise<SmallStaging> {
  return startOnSmallVolume([...alone, ...options]);
}

async function startOnSmallVolume(options: readonly string[]): Promise<SmallStaging> {
  const directory = join(temporaryDirectory(), "volume");
  mkdirSync(directory);
  const args = ["staging-server", "--store", directory, "--host", "127.0.0.1", "--port", "0", ...options];
  const script = 'mount -t tmpfs -o size=8m small "$0" && exec "$@"';
  const program = join(root, "dist", "bin", "firesteel.cjs");
  const child = spawn("unshare", ["-rm", "sh", "-c", script, directory, process.execPath, program, ...args], {
    env: { PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`, HOME: temporaryDirectory() },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let log = "";
  child.stdout.on("data", (chunk) => {
    log += chunk;
  });
  const port = await new Promise<number>((resolve, reject) => {
    let programOutput = "";
    child.stderr.on("data", (chunk) => {
      programOutput += chunk;
      const found = /started on port (\d+)\./.exec(programOutput)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    child.on("close", () => reject(new Error(programOutput)));
  });
  return {
    store: `/proc/${child.pid}/root${directory}`,
    log: () => log.split("\n"),
    sendRequest: (method, path, requestOptions) => sendRequest(port, method, path, requestOptions),
  };
}

const createUpload = async (staging: Pick<Staging, "sendRequest">, bytes: Uint8Array) => {
  const { digest, size } = contentOf(bytes);
  const created = await staging.sendRequest("POST", "/api/v1/uploads", {
    json: { namespace: "team", digest, size },
  });
  return { created, path: created.status === 201 ? `/api/v1/uploads/${created.text("uploadId")}` : "" };
};

testWith("user namespaces")(
  "T19 a full disk is reported, leaves no partial upload, and is used again after space is freed",
  async () => {
    const staging = await onSmallVolume("--min-free", "1m");
    const [one, other] = [someBytes(5 * mebibyte, 1), someBytes(5 * mebibyte, 2)];
    const uploads = [await createUpload(staging, one), await createUpload(staging, other)];
    const sent = [];
    for (const [index, body] of [one, other].entries()) {
      const headers = { "upload-offset": 0 };
      sent.push(await staging.sendRequest("PATCH", uploads[index]?.path ?? "", { body, headers }));
    }
    expect(sent.map(({ status }) => status)).toEqual([204, 507]);
    expect(sent[1]?.code()).toBe("STORE_FULL");
    const left = readdirSync(`${staging.store}/uploads`).map((name) => name.split(".")[0]);
    expect(new Set(left).size).toBe(1);

    const filler = `${staging.store}/filler`;
    writeFileSync(filler, someBytes(2.5 * mebibyte));
    const { created } = await createUpload(staging, someBytes(mebibyte));
    expect([created.status, created.code()]).toEqual([507, "STORE_FULL"]);
    const ready = await staging.sendRequest("GET", "/readyz");
    expect([ready.status, ready.body.toString()]).toEqual([503, expect.stringContaining("The store is not writable")]);

    rmSync(filler);
    await staging.sendRequest("DELETE", uploads[0]?.path ?? "");
    expect((await staging.sendRequest("GET", "/readyz")).status).toBe(200);
    await stageBlob(staging, other);
  },
);

testWith("user namespaces")("T19 a form that exceeds the free space leaves no files", async () => {
  const staging = await onSmallVolume("--min-free", "0");
  const { body, headers } = defaultForm(someBytes(9 * mebibyte));
  const chunked = { ...headers, "transfer-encoding": "chunked" };
  for (const requestHeaders of [headers, chunked]) {
    const rejected = await staging.sendRequest("POST", "/api/v0/resources", {
      headers: requestHeaders,
      body,
    });
    expect([rejected.status, rejected.code()]).toEqual([507, "STORE_FULL"]);
    expect(readdirSync(`${staging.store}/uploads`)).toEqual([]);
  }
  const fits = await staging.sendRequest("POST", "/api/v0/resources", defaultForm(someBytes(mebibyte)));
  expect(fits.status).toBe(200);
});

testWith("user namespaces")("a chunked form leaves the reserve free", async () => {
  const staging = await onSmallVolume("--min-free", "3m");
  const send = (size: number) => {
    const { body, headers } = defaultForm(someBytes(size));
    const options = { headers: { ...headers, "transfer-encoding": "chunked" }, body };
    return staging.sendRequest("POST", "/api/v0/resources", options);
  };
  const rejected = await send(7 * mebibyte);
  expect([rejected.status, rejected.code()]).toEqual([507, "STORE_FULL"]);
  expect(readdirSync(`${staging.store}/uploads`)).toEqual([]);
  expect((await send(3 * mebibyte)).status).toBe(200);
});

/** Fills the volume to its last byte. */
function fill({ store }: SmallStaging): void {
  const descriptor = openSync(`${store}/filler`, "w");
  try {
    for (;;) writeSync(descriptor, Buffer.alloc(4096));
  } catch (error) {
    expect(error).toMatchObject({ code: "ENOSPC" });
  } finally {
    closeSync(descriptor);
  }
}

const names = (directory: string) => readdirSync(directory, { recursive: true }).map(String);
const blobs = ({ store }: SmallStaging) => names(`${store}/blobs`).filter((path) => /[0-9a-f]{62}$/.test(path));

async function metric(staging: SmallStaging, name: string): Promise<number> {
  const { body } = await staging.sendRequest("GET", "/metrics");
  return Number(new RegExp(`^firesteel_staging_${name} (.*)$`, "m").exec(body.toString())?.[1]);
}

testWith("user namespaces")(
  "a full store serves downloads, and reports once that their times are not written",
  async () => {
    const staging = await onSmallVolume("--min-free", "0");
    const bytes = someBytes(mebibyte);
    const bundles = [await stageBundle(staging, bytes), await stageBundle(staging, bytes)];
    const made = await staging.sendRequest("POST", "/api/v0/resources", defaultForm("content"));
    fill(staging);
    for (const { path, reader } of [...bundles, ...bundles]) {
      const { status, body } = await staging.sendRequest("GET", `${path}/entries/0`, { headers: reader });
      expect([status, body.equals(bytes)]).toEqual([200, true]);
    }
    const headers = { authorization: made.text("resourceSecret") };
    const got = await staging.sendRequest("GET", `/api/v0/resources/${made.text("resourceId")}`, { headers });
    expect([got.status, got.body.toString()]).toEqual([200, "content"]);
    expect(await metric(staging, "unwritten_changes_total")).toBe(3);
    const entries = staging.log().filter((line) => line.includes("The store did not take the time of a download"));
    expect(entries).toEqual([expect.stringContaining("ENOSPC")]);
    expect((await staging.sendRequest("GET", "/readyz")).status).toBe(503);
    expect((await staging.sendRequest("GET", "/readyz?exclude=store")).status).toBe(200);
    expect(names(`${staging.store}/bundles`).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  },
);

testWith("user namespaces")("bundles are deleted from a full store on request", async () => {
  const staging = await onSmallVolume("--min-free", "0");
  const { path } = await stageBundle(staging, someBytes(mebibyte));
  fill(staging);
  expect((await staging.sendRequest("DELETE", path)).status).toBe(204);
  expect(names(`${staging.store}/bundles`).filter((name) => name.endsWith(".json"))).toEqual([]);
});

testWith("user namespaces")("the cleaner frees a full store when bundles expire", async () => {
  const times = ["--initial-expiry", "2s", "--clean-interval", "50ms", "--grace", "1s"];
  const staging = await onSmallVolume("--min-free", "0", ...times);
  await stageBundle(staging, someBytes(mebibyte));
  fill(staging);
  await until(() => (blobs(staging).length === 0 ? true : undefined));
  await stageBlob(staging, someBytes(mebibyte, 2));
});

testWith("user namespaces")("the cleaner frees a full store when the owners are gone", async () => {
  const cluster = await openFakeCluster();
  cluster.pods.set("team", [driverPod("Running")]);
  const times = ["--clean-interval", "50ms", "--absence", "100ms", "--grace", "1s"];
  const staging = await startOnSmallVolume([...cluster.options, "--auth", "none", "--min-free", "0", ...times]);
  await stageBundle(staging, someBytes(mebibyte));
  const listed = cluster.lists("team");
  await until(() => (cluster.lists("team") > listed + 2 ? true : undefined));
  fill(staging);
  cluster.pods.set("team", []);
  await until(() => (blobs(staging).length === 0 ? true : undefined));
  expect(await metric(staging, "unwritten_changes_total")).toBeGreaterThan(0);
});
