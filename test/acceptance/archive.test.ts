import { execFile, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import type { ApiRequest, ApiResponse } from "../../src/kube/transport.ts";
import { testWith } from "../test-with.ts";
import { bundledFiles } from "./bundled-files.ts";
import { openFaultProxy, type RecordedRequest, type RequestOutcome } from "./fault-proxy.ts";
import { serverOf, startHdfs } from "./hdfs-server.ts";
import { ended, libraryClient, running, startKubelet, testedApi, textResponse } from "./library-cluster.ts";
import { root, run, temporaryDirectory } from "./programs.ts";

const line = "2026-01-01T00:00:00Z ";

function isLog({ path }: Pick<ApiRequest, "path">): boolean {
  return path.includes("/log?");
}

interface SceneOptions {
  /** Log of each driver. */
  readonly log?: string;
  readonly exitCode?: number;
  readonly decide?: (visit: RecordedRequest) => RequestOutcome;
}

/** Starts an API whose drivers print a log and end. */
async function scene({ log = "hello\n", exitCode = 0, decide = () => "pass" }: SceneOptions = {}) {
  const api = await testedApi();
  startKubelet(api, () => [running, ended(exitCode)]);
  const response = (): Promise<ApiResponse> => textResponse(log.replace(/^(?=.)/gm, line));
  const proxy = await openFaultProxy((request) => (isLog(request) ? response() : api.transport(request)), decide);
  onTestFinished(() => proxy.close());
  const master = ["--master", `k8s://${proxy.url}`];
  const submitArgs = (archive: string, more: readonly string[] = []) => [
    ...[...master, "--deploy-mode", "cluster", "--name", "job", "--class", "Main"],
    ...["--conf", "spark.kubernetes.container.image=spark:4.3.0", "--conf", `spark.firesteel.archive=${archive}`],
    ...[...more, "local:///app.jar"],
  ];
  return { api, master, submitArgs };
}

const driverLog = /^logs\/job-[0-9a-f]+-driver\/spark-kubernetes-driver\.log$/;

async function expectBundle(bundle: string | Buffer): Promise<void> {
  const files = await bundledFiles(bundle);
  expect(Object.entries(files).find(([name]) => driverLog.test(name))?.[1]).toBe("hello\n");
  expect(JSON.parse(files["bundle.json"] ?? "")).toMatchObject({ version: 1, missing: [] });
}

function onlyFile(directory: string): string {
  const [name = "", ...others] = readdirSync(directory);
  expect(others).toEqual([]);
  return join(directory, name);
}

test("spark-submit archives the application in a directory, and keeps the driver's exit code", async () => {
  const { submitArgs, master } = await scene({ exitCode: 3 });
  const cwd = temporaryDirectory();
  const { exit, stderr } = await run("spark-submit", submitArgs("made/here"), { cwd });
  expect(exit, stderr).toBe(3);
  const path = onlyFile(join(cwd, "made", "here"));
  expect(stderr).toContain(`INFO Archive: Archived the application in ${path}\n`);
  await expectBundle(path);
  const live = await run("firesteel", ["diagnose", "job-*", "--json", ...master]);
  expect(live.stdout).toContain("exited with code 3");
  const { stdout, exit: diagnosed } = await run("firesteel", ["diagnose", path, "--json"]);
  expect({ exit: diagnosed, stdout }).toEqual({ exit: live.exit, stdout: live.stdout });
});

test("an archive removes the temporary files of killed clients, and leaves none", async () => {
  const { submitArgs } = await scene();
  const cwd = temporaryDirectory();
  const { pid } = spawnSync("true");
  mkdirSync(join(cwd, "tmp", `firesteel-archive-${pid}-killed`), { recursive: true });
  mkdirSync(join(cwd, "tmp", `firesteel-archive-${process.pid}-running`));
  const { exit, stderr } = await run("spark-submit", submitArgs("bundles"), { cwd, env: { TMPDIR: join(cwd, "tmp") } });
  expect(exit, stderr).toBe(0);
  expect(readdirSync(join(cwd, "tmp"))).toEqual([`firesteel-archive-${process.pid}-running`]);
});

test.each(["--wait", "--watch"])("firesteel apply %s archives the application, without a warning", async (option) => {
  const { master } = await scene();
  const cwd = temporaryDirectory();
  const conf = { "spark.firesteel.archive": "bundles", "spark.kubernetes.container.image": "spark:4.3.0" };
  const application = { name: "job", app: "local:///app.py", conf };
  writeFileSync(join(cwd, "job.yaml"), JSON.stringify(application));
  const { exit, stderr } = await run("firesteel", ["apply", "-f", "job.yaml", option, ...master], { cwd });
  expect(exit, stderr).toBe(0);
  const path = onlyFile(join(cwd, "bundles"));
  expect(stderr).toContain(`Archived the application in ${path}\n`);
  expect(stderr).not.toContain("has no effect");
  expect(Object.values(await bundledFiles(path))).toContain("hello\n");
});

test("wait() of the library's handle resolves after the bundle is written", async () => {
  const api = await testedApi();
  startKubelet(api, () => [running, ended(0)]);
  const { firesteel, logged } = libraryClient(api, {}, (request) =>
    isLog(request) ? textResponse(`${line}hello\n`) : undefined,
  );
  const directory = temporaryDirectory();
  const conf = { "spark.firesteel.archive": directory };
  const application = await firesteel.submit({ app: "local:///app.py", name: "job", conf });
  expect(await application.wait()).toMatchObject({ state: "succeeded" });
  await expectBundle(onlyFile(directory));
  expect(logged.map(({ message }) => message).join("\n")).not.toContain("has no effect");
});

test("s3a: receives the bundle, with credentials of the settings", async () => {
  const objects = new Map<string, Buffer>();
  const endpoint = await serverOf((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      expect(request.headers.authorization).toContain("Credential=planted-id/");
      if (request.method === "PUT") objects.set(request.url ?? "", Buffer.concat(chunks));
      response.writeHead(200, { etag: '"e"' }).end();
    });
  });
  const { submitArgs } = await scene();
  const settings = {
    endpoint: `http://${endpoint}`,
    ...{ "path.style.access": "true", "access.key": "planted-id", "secret.key": "planted-secret" },
  };
  const conf = Object.entries(settings).flatMap(([key, value]) => ["--conf", `spark.hadoop.fs.s3a.${key}=${value}`]);
  const { exit, stderr } = await run("spark-submit", submitArgs("s3a://bucket/apps/", conf));
  expect(exit, stderr).toBe(0);
  const [[name, content] = ["", Buffer.alloc(0)]] = [...objects];
  expect(name).toMatch(/^\/bucket\/apps\/spark-[0-9a-f]{32}\.tar\.gz$/);
  expect(stderr).toContain(`Archived the application in s3a:/${name}\n`);
  await expectBundle(content);
  expect(JSON.stringify(await bundledFiles(content))).not.toContain("planted-secret");
});

test("an unreachable bucket changes no exit code, and one warning has the reason and the next step", async () => {
  const endpoint = await serverOf((request, response) => {
    request.resume();
    response.writeHead(403).end("<Error><Code>AccessDenied</Code></Error>");
  });
  const { submitArgs, master } = await scene();
  const settings = {
    endpoint: `http://${endpoint}`,
    "path.style.access": "true",
    "access.key": "a",
    "secret.key": "b",
  };
  const conf = Object.entries(settings).flatMap(([key, value]) => ["--conf", `spark.hadoop.fs.s3a.${key}=${value}`]);
  const { exit, stderr } = await run("spark-submit", submitArgs("s3a://bucket/apps", conf));
  expect(exit, stderr).toBe(0);
  const warnings = stderr.split("\n").filter((text) => text.includes("WARN Archive"));
  expect(warnings).toEqual([expect.stringMatching(/Cannot archive .* in s3a:\/\/bucket\/apps: .*(AccessDenied|403)/)]);
  expect(warnings[0]).toContain(`run: firesteel bundle default:job-`);
  expect(warnings[0]).toContain(master.join(" "));
});

test("hdfs: receives the bundle by WebHDFS", async () => {
  const { files, env } = await startHdfs();
  const { submitArgs } = await scene();
  const { exit, stderr } = await run("spark-submit", submitArgs("hdfs://ns1/apps"), { env });
  expect(exit, stderr).toBe(0);
  const [[path, text] = ["", ""]] = [...files];
  expect(path).toMatch(/^\/apps\/spark-[0-9a-f]{32}\.tar\.gz$/);
  await expectBundle(Buffer.from(text, "latin1"));
});

testWith("user namespaces")("a full disk changes no exit code, and leaves no file", async () => {
  // Random text does not become smaller.
  const { submitArgs } = await scene({ log: `${randomBytes(200_000).toString("base64")}\n` });
  const disk = join(temporaryDirectory(), "disk");
  mkdirSync(disk);
  const program = join(root, "dist", "bin", "spark-submit.cjs");
  const script = 'mount -t tmpfs -o size=40k small "$0" && { "$@"; echo "exit $?"; find "$0" -type f; }';
  const args = ["-rm", "sh", "-c", script, disk, process.execPath, program, ...submitArgs(disk)];
  // The API runs in this process, which must not block.
  const { stdout, stderr } = await promisify(execFile)("unshare", args, {
    env: { PATH: process.env["PATH"], HOME: temporaryDirectory() },
  });
  expect(stdout).toBe("exit 0\n");
  expect(stderr).toMatch(/WARN Archive: Cannot archive the application in .*disk: ENOSPC/);
});

test("without permission for logs and events, bundle is made and lists what is missing", async () => {
  const forbidden = { status: 403, message: "not allowed", reason: "Forbidden" };
  const { submitArgs, master } = await scene({
    decide: ({ path }) => (path.includes("/log?") || path.includes("/events") ? forbidden : "pass"),
  });
  const directory = temporaryDirectory();
  expect(await run("spark-submit", submitArgs(directory))).toMatchObject({ exit: 0 });
  const path = join(directory, "by-hand.tar.gz");
  const { exit, stdout } = await run("firesteel", ["bundle", "job-*", "-o", path, ...master]);
  expect(exit).toBe(0);
  expect(stdout).toMatch(/^Saved 1 pods and 0 logs in .*by-hand\.tar\.gz\nMissing: events\. .*\nMissing: logs\. /);
  const archived = readdirSync(directory).find((name) => name.startsWith("spark-")) ?? "";
  for (const bundle of [path, join(directory, archived)]) {
    const { missing } = JSON.parse((await bundledFiles(bundle))["bundle.json"] ?? "");
    expect(missing.map(({ what }: { what: string }) => what)).toEqual(["events", "logs"]);
  }
});
