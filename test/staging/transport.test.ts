import { readdirSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { KubeResource } from "../../src/kube/types.ts";
import { apiNamespaces, refusingPods } from "../acceptance/api-namespaces.ts";
import { freePort } from "../acceptance/file-server.ts";
import { run, start, temporaryDirectory, withSpark } from "../acceptance/programs.ts";
import { stallingTunnel } from "../acceptance/stalling-tunnel.ts";
import { startProxy } from "./forward-proxy.ts";
import { alone, type Staging, someBytes, startStaging } from "./staging-program.ts";

const script = "print('of this machine')\n";
const secretText = "text that no other object may have";

const plainInfo = '{"version":"1","features":[],"limits":{}}';

/** Starts a server for one test. Returns its URL. */
async function serverOf(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address: AddressInfo | string | null = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : address}`;
}

/** Creates a directory with a script and a file. */
function jobDirectory(text = script): string {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "job.py"), text);
  writeFileSync(join(directory, "conf.txt"), secretText);
  return directory;
}

function argsFor(server: string, ...more: readonly string[]): readonly string[] {
  return [
    ...["--staging", "server", "--conf", `spark.firesteel.staging.server=${server}`],
    ...[...more, "--files", "conf.txt", "job.py"],
  ];
}

const addressOf = ({ port }: Staging) => `http://127.0.0.1:${port}`;

function bundlesOf({ store }: Staging): readonly string[] {
  return readdirSync(store, { recursive: true, encoding: "utf8" }).filter((path) => /^bundles\/.*\.json$/.test(path));
}

describe("files that go through a staging server", () => {
  const api = apiNamespaces("staged");

  test("T78: are described in two objects that the driver's pod owns, with the token only in the Secret", async () => {
    const staging = await startStaging();
    const { args, objects } = await api.create();
    const submission = [...args, ...argsFor(addressOf(staging), "--verbose")];
    const { exit, stdout, stderr } = await run("spark-submit", submission, {
      ...{ cwd: jobDirectory(), env: withSpark({}) },
    });
    expect(exit, stderr).toBe(0);
    const found = await objects();
    const named = (end: string) => found.find(({ metadata }) => metadata.name?.endsWith(end));
    for (const object of [named("-deps-conf"), named("-deps-token")])
      expect(object?.metadata.ownerReferences).toMatchObject([{ kind: "Pod" }]);
    const token = Buffer.from(dataOf(named("-deps-token"), "token"), "base64").toString();
    expect(token.length).toBeGreaterThan(20);
    const { bundleId } = JSON.parse(dataOf(named("-deps-conf"), "localize.json")).sources[0];
    const headers = { authorization: `Bearer ${token}` };
    const manifest = await staging.sendRequest("GET", `/api/v1/bundles/${bundleId}`, { headers });
    expect(manifest.json()).toMatchObject({ entries: [{ name: "conf.txt" }, { name: "job.py" }] });
    const others = found.filter(({ kind }) => kind !== "Secret");
    for (const text of [JSON.stringify(others), stdout, stderr]) {
      expect(text).not.toContain(token);
      expect(text).not.toContain(secretText);
    }
  });

  test("T76: are rolled back with all objects when the driver is rejected", async () => {
    const staging = await startStaging();
    const { args, objects } = await api.create(refusingPods);
    const { exit, stderr } = await run("spark-submit", [...args, ...argsFor(addressOf(staging))], {
      ...{ cwd: jobDirectory(), env: withSpark({}) },
    });
    expect(stderr).toContain("exceeded quota");
    expect(exit).toBe(1);
    expect(await objects()).toEqual([]);
    expect(bundlesOf(staging)).toEqual([]);
  });

  test("go through the proxy of the environment", async () => {
    const staging = await startStaging();
    const proxy = await startProxy(staging.port);
    const { args, objects } = await api.create();
    const server = `http://staging.beyond.test:${staging.port}`;
    const env = withSpark({ http_proxy: proxy.url });
    const { exit, stderr } = await run("spark-submit", [...args, ...argsFor(server)], {
      cwd: jobDirectory(),
      env,
    });
    expect(exit, stderr).toBe(0);
    expect(bundlesOf(staging)).toHaveLength(1);
    expect(proxy.requests).toContain(`POST ${server}/api/v1/bundles undefined`);
    const config = (await objects()).find(({ metadata }) => metadata.name?.endsWith("-deps-conf"));
    expect(JSON.parse(dataOf(config, "localize.json")).sources[0].server).toBe(server);
  });

  test("T77: leave no objects in the cluster when the upload is interrupted", async () => {
    let arrived = () => {};
    const waiting = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const url = await serverOf(({ url: path }, response) => {
      if (path?.endsWith("/info")) response.end(plainInfo);
      else arrived();
    });
    const { args, objects } = await api.create();
    const program = start("spark-submit", [...args, ...argsFor(url)], {
      ...{ cwd: jobDirectory(), env: withSpark({}) },
    });
    await waiting;
    program.child.kill("SIGINT");
    expect((await program.ended).exit).toBe(130);
    expect(await objects()).toEqual([]);
  });

  test("T77: are continued by the next submission", async () => {
    const staging = await startStaging();
    const tunnel = await stallingTunnel(staging.port, 12_000_000);
    const [{ args, objects }, cwd] = [await api.create(), jobDirectory()];
    writeFileSync(join(cwd, "conf.txt"), someBytes(20_000_000));
    const options = { cwd, env: { XDG_CACHE_HOME: temporaryDirectory() } };
    const submission = [...args, ...argsFor(`http://127.0.0.1:${tunnel.port}`)];
    const { child, ended } = start("spark-submit", submission, options);
    await Promise.race([tunnel.stalled, ended]);
    child.kill("SIGINT");
    expect((await ended).exit).toBe(130);
    expect(await objects()).toEqual([]);
    const before = tunnel.sentBytes();
    const { exit, stderr } = await run("spark-submit", submission, options);
    expect(exit, stderr).toBe(0);
    expect(tunnel.sentBytes() - before).toBeLessThan(14_000_000);
    expect(bundlesOf(staging)).toHaveLength(1);
  });

  test("are named in SUBMIT_ERR_STAGING_CLEANUP_INCOMPLETE when they cannot be rolled back", async () => {
    const responses: Readonly<Record<string, string>> = {
      "GET /api/v1/info": plainInfo,
      "POST /api/v1/blobs:missing": '{"missing":[]}',
      "POST /api/v1/bundles": '{"bundleId":"b-1","token":"t","expiresAt":"2026-11-22T03:00:00Z"}',
    };
    const url = await serverOf(({ method, url: path }, response) => {
      const body = responses[`${method} ${path}`];
      response.writeHead(body === undefined ? 403 : 200).end(body ?? "{}");
    });
    const { args } = await api.create(refusingPods);
    const { exit, stderr } = await run("spark-submit", [...args, ...argsFor(url)], {
      ...{ cwd: jobDirectory(), env: withSpark({}) },
    });
    expect(exit).toBe(1);
    expect(stderr).toContain(`Not cleaned up: the bundle b-1 may still exist on ${url}`);
  });

  test("stop the submission before any object is created when the server rejects them", async () => {
    const staging = await startStaging(["--auth", "none", "--owners", "none", "--max-blob-size", "5b"]);
    const { args, objects } = await api.create();
    const { exit, stderr } = await run("spark-submit", [...args, ...argsFor(addressOf(staging))], {
      ...{ cwd: jobDirectory(), env: withSpark({}) },
    });
    expect(exit).toBe(1);
    expect(stderr).toContain(addressOf(staging));
    expect(await objects()).toEqual([]);
  });
});

describe("on the embedded cluster, the init container", () => {
  const embedded = [
    ...["--master", "k8s://embedded", "--deploy-mode", "cluster", "--name", "staged"],
    ...["--conf", "spark.kubernetes.container.image=spark", "--logs", "driver"],
  ];

  test("downloads the files into the driver's directory, where Spark finds them", async () => {
    const staging = await startStaging();
    const text = `
import sys
from pyspark.sql import SparkSession
SparkSession.builder.getOrCreate()
print("at", sys.argv[0], "with", open("conf.txt").read())
`;
    const { exit, stdout, stderr } = await run("spark-submit", [...embedded, ...argsFor(addressOf(staging))], {
      ...{ cwd: jobDirectory(text), env: withSpark({}) },
    });
    expect(stdout, stderr).toMatch(`at /opt/spark-deps/pyfiles/job.py with ${secretText}`);
    expect(exit).toBe(0);
  });

  test("T75: reports a server that does not respond within its timeout", async () => {
    const [staging, nowhere] = [await startStaging(), await freePort()];
    const settings = [
      `spark.firesteel.staging.server.internalUrl=http://127.0.0.1:${nowhere}`,
      "spark.firesteel.staging.initContainer.timeout=2s",
    ].flatMap((setting) => ["--conf", setting]);
    const { exit, stderr } = await run("spark-submit", [...embedded, ...argsFor(addressOf(staging), ...settings)], {
      cwd: jobDirectory(),
      env: withSpark({}),
    });
    expect(stderr).toMatch(/^Reason: .* exit status 7: .*Timed out after 2 s; last error: .*ECONNREFUSED/m);
    expect(exit).toBe(1);
  });

  test("T75: reports why it failed and keeps the pod", async () => {
    // Pods reach this loopback address of this machine also if they have their own network.
    const [staging, other] = [await startStaging(), await startStaging([...alone, "--host", "127.1.0.1"])];
    const internal = ["--conf", `spark.firesteel.staging.server.internalUrl=http://127.1.0.1:${other.port}`];
    const { exit, stderr } = await run("spark-submit", [...embedded, ...argsFor(addressOf(staging), ...internal)], {
      cwd: jobDirectory(),
      env: withSpark({}),
    });
    expect(stderr).toMatch(
      /Reason: The init container firesteel-localize ended with exit status 3: .*the server responded with 401/,
    );
    expect(stderr).not.toContain("log is incomplete");
    expect(exit).toBe(1);
  });
});

function dataOf(object: KubeResource | undefined, key: string): string {
  const data = object?.["data"];
  const found = typeof data === "object" && data !== null ? Object.entries(data) : [];
  return String(found.find(([name]) => name === key)?.[1]);
}
