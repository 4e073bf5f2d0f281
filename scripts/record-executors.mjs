#!/usr/bin/env node
/**
 * Records the requests of a real Spark driver for one executor in test/golden/executors/<version>.json:
 *
 *   node scripts/record-executors.mjs SPARK_HOME [CASE...]
 *
 * The driver gets the settings and the environment of a driver in a pod. The API accepts every request and records the created objects.
 * Needs a JDK.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const directory = join(dirname(dirname(fileURLToPath(import.meta.url))), "test", "golden", "executors");
const [home, ...names] = process.argv.slice(2);
if (home === undefined) throw new Error("usage: record-executors.mjs SPARK_HOME [CASE...]");
const cases = JSON.parse(readFileSync(join(directory, "cases.json"), "utf8"));
const version = readdirSync(join(home, "jars"))
  .map((name) => /^spark-core_[\d.]+-(.+)\.jar$/.exec(name)?.[1])
  .find((found) => found !== undefined);
const file = join(directory, `${version}.json`);
/** An unused loopback address: all ports of the driver are free there. */
const podIp = `127.71.${process.pid % 250}.7`;

const driverClasses = compileDriver();
const recorded = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
for (const [name, spec] of Object.entries(cases)) {
  if (names.length > 0 && !names.includes(name)) continue;
  recorded[name] = await record(name, spec);
  writeFileSync(file, printRecorded(recorded));
}
rmSync(driverClasses, { recursive: true });

/** Prints one line per case; replaces Java options that equal those of the case "plain". */
function printRecorded(all) {
  const plain = JSON.stringify(all.plain?.find(({ kind }) => kind === "Pod")?.javaOptions);
  const short = (name, object) =>
    name !== "plain" && JSON.stringify(object.javaOptions) === plain ? { ...object, javaOptions: "plain" } : object;
  const lines = Object.keys(cases)
    .filter((name) => name in all)
    .map((name) => [name, Array.isArray(all[name]) ? all[name].map((object) => short(name, object)) : all[name]])
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return `{\n${lines.join(",\n")}\n}\n`;
}

/** Moves the variables SPARK_JAVA_OPT_N to a list beside the pod. */
function withListedOptions(object) {
  const env = object.kind === "Pod" ? object.spec.containers.at(-1).env : undefined;
  if (env === undefined || object.javaOptions !== undefined) return object;
  const numberOf = ({ name }) => Number(/^SPARK_JAVA_OPT_(\d+)$/.exec(name)?.[1] ?? -1);
  const options = env.filter((variable) => numberOf(variable) >= 0).sort((a, b) => numberOf(a) - numberOf(b));
  object.spec.containers.at(-1).env = env.filter((variable) => numberOf(variable) < 0);
  return { ...object, javaOptions: options.map(({ value }) => value) };
}

async function record(name, { settings, kind = "java", template, confFiles = {} }) {
  const work = mkdtempSync(join(tmpdir(), "firesteel-executors-"));
  const seen = { objects: [], pod: Promise.withResolvers?.() ?? deferred() };
  const server = createServer((request, response) => handle(request, response, seen));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  for (const [path, text] of Object.entries(confFiles)) writeFileSync(join(work, path), text);
  if (template !== undefined) writeFileSync(join(work, "spark-template.conf"), template);
  const child = startDriver({ work, url, settings, kind, template });
  const ended = new Promise((resolve) => child.on("close", resolve));
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      output += chunk;
    });
  const hasPod = await Promise.race([seen.pod.promise.then(() => true), ended.then(() => false)]);
  // The driver creates claims right after their pod, and the ConfigMap last.
  if (hasPod) await new Promise((resolve) => setTimeout(resolve, 2500));
  if (child.exitCode === null) process.kill(-child.pid, "SIGKILL");
  await ended;
  server.closeAllConnections();
  server.close();
  rmSync(work, { recursive: true });
  if (process.env.RECORD_VERBOSE) process.stderr.write(output);
  const problem = /(?:IllegalArgumentException|SparkException): .*/.exec(output)?.[0];
  process.stderr.write(`${version} ${name}: ${hasPod ? `${seen.objects.length} objects` : problem}\n`);
  return hasPod ? normalized(seen.objects, work) : { refused: problem ?? output.slice(-2000) };
}

/** Compiles an application that only waits for its executors. @returns its class path */
function compileDriver() {
  const directory = mkdtempSync(join(tmpdir(), "firesteel-driver-"));
  const source = join(directory, "WaitingDriver.java");
  writeFileSync(
    source,
    `public class WaitingDriver {
      public static void main(String[] args) throws InterruptedException {
        new org.apache.spark.SparkContext(new org.apache.spark.SparkConf());
        Thread.sleep(600000);
      }
    }`,
  );
  const { status, stderr } = spawnSync("javac", ["-cp", `${home}/jars/*`, "-d", directory, source]);
  if (status !== 0) throw new Error(String(stderr));
  return directory;
}

function deferred() {
  let resolve;
  const promise = new Promise((resolvePromise) => {
    resolve = resolvePromise;
  });
  return { promise, resolve };
}

function startDriver({ work, url, settings, kind, template }) {
  const properties = {
    "spark.master": `k8s://${url}`,
    "spark.kubernetes.driver.master": url,
    "spark.app.name": "Spark Pi",
    "spark.app.id": "spark-0123456789abcdef0123456789abcdef",
    "spark.kubernetes.driver.pod.name": "the-driver",
    "spark.kubernetes.submitInDriver": "true",
    "spark.kubernetes.resource.type": kind,
    "spark.kubernetes.memoryOverheadFactor": kind === "java" ? "0.1" : "0.4",
    "spark.driver.host": "the-driver-svc.default.svc",
    "spark.driver.port": "7078",
    "spark.driver.blockManager.port": "7079",
    "spark.kubernetes.container.image": "img:1",
    "spark.executor.instances": "1",
    "spark.ui.enabled": "false",
    ...settings,
    ...(template && { "spark.kubernetes.executor.podTemplateFile": join(work, "spark-template.conf") }),
  };
  const escaped = (text) => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  const lines = Object.entries(properties).map(([key, value]) => `${key}=${escaped(value)}\n`);
  writeFileSync(join(work, "spark.properties"), lines.join(""));
  return spawn(
    join(home, "bin", "spark-submit"),
    [
      ...["--conf", `spark.driver.bindAddress=${podIp}`],
      ...["--conf", `spark.executorEnv.SPARK_DRIVER_POD_IP=${podIp}`],
      ...["--deploy-mode", "client", "--properties-file", join(work, "spark.properties")],
      ...["--driver-class-path", driverClasses, "--class", "WaitingDriver", "spark-internal"],
    ],
    {
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env.PATH,
        ...(process.env.JAVA_HOME && { JAVA_HOME: process.env.JAVA_HOME }),
        HOME: work,
        SPARK_HOME: home,
        SPARK_CONF_DIR: work,
        SPARK_USER: "submitter",
        SPARK_LOCAL_DIRS: join(work, "local"),
        SPARK_DAEMON_MEMORY: "512m",
      },
    },
  );
}

/** Accepts every request; sends no events to watches. */
function handle(request, response, seen) {
  const { pathname, searchParams } = new URL(request.url, "http://api");
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks).toString("utf8");
    if (searchParams.get("watch") === "true") {
      response.writeHead(200, { "content-type": "application/json" });
      response.flushHeaders();
      return;
    }
    const send = (status, object) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(object));
    };
    if (request.method === "GET") {
      return send(200, /\/pods\/[^/]+$/.test(pathname) ? driverPod() : emptyList(pathname));
    }
    if (request.method !== "POST" && request.method !== "PATCH") return send(200, { kind: "Status" });
    const object = JSON.parse(body);
    if (request.method === "POST" || object.kind !== "Pod") seen.objects.push(object);
    if (request.method === "POST" && object.kind === "Pod") seen.pod.resolve();
    send(201, { ...object, metadata: { ...object.metadata, namespace: "default", uid: "uid-of-it" } });
  });
}

function emptyList(pathname) {
  const kind = { pods: "PodList", persistentvolumeclaims: "PersistentVolumeClaimList" }[pathname.split("/").at(-1)];
  return { apiVersion: "v1", kind: kind ?? "List", metadata: { resourceVersion: "1" }, items: [] };
}

function driverPod() {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "the-driver", namespace: "default", uid: "uid-of-the-driver" },
    spec: { containers: [{ name: "spark-kubernetes-driver", image: "img:1" }] },
    status: { phase: "Running", podIP: podIp, conditions: [{ type: "Ready", status: "True" }] },
  };
}

/** Returns the pod and its claims, with random values replaced. Other recordings cover the driver's ConfigMap. */
function normalized(objects, work) {
  const text = JSON.stringify(objects)
    .replaceAll(join(work, "local"), "/var/data/spark-uuid")
    .replaceAll(work, "/opt/spark/conf")
    .replaceAll(podIp, "POD_IP")
    .replaceAll(/spark-exec-[0-9a-f]{16}-conf-map/g, "spark-exec-ID-conf-map")
    .replaceAll(/(?<=")[0-9a-f]{64}(?=")/g, "<made by the driver>")
    .replaceAll(/spark-pi-[0-9a-f]{16}/g, "spark-pi-ID");
  return JSON.parse(text)
    .filter(({ kind }) => kind !== "ConfigMap")
    .map(withListedOptions);
}
