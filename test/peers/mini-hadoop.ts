import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeHost } from "../../src/host/node-host.ts";
import { localJava } from "../../src/spark/find-java.ts";
import { printHadoopXml } from "../../src/values/hadoop-xml.ts";
import { call, fetchPeer, type Peer } from "./fetch-peer.ts";

const sources = join(dirname(fileURLToPath(import.meta.url)), "hadoop");
const copyDependencies = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies";

/** Fetches Hadoop's mini cluster and its dependencies with Maven: about 110 MB of jars. */
export function fetchMiniHadoop(): Peer {
  const pom = join(sources, "pom.xml");
  const digest = createHash("sha256").update(readFileSync(pom)).digest("hex").slice(0, 12);
  return fetchPeer(`hadoop-${digest}`, "Maven", (directory) => {
    const output = `-DoutputDirectory=${join(directory, "lib")}`;
    call("mvn", ["-q", "-B", "-f", pom, copyDependencies, output, "-DincludeScope=runtime"]);
  });
}

/** An HDFS and a YARN of one node, on free ports of loopback. */
export interface MiniHadoop {
  /** For HADOOP_CONF_DIR. */
  readonly confDirectory: string;
  /** Default file system, e.g. `hdfs://localhost:8020`. */
  readonly fileSystem: string;
  /** Address of the NameNode's WebHDFS, e.g. `http://localhost:9870`. */
  readonly webAddress: string;
  /** Directory for files of tests; removed with the cluster. */
  readonly directory: string;
  /** PEM file with the certificate of its servers; exists only with HTTPS. */
  readonly authority: string;
  /** Returns the concatenated output of an application's containers. */
  readonly logsOf: (appId: string, name: "stdout" | "stderr") => string;
  /** Reads a file of a driver's container, such as `launch_container.sh`. Requires the properties `keptContainers`. */
  readonly containerFile: (appId: string, path: string) => string;
  /** Lists a directory by WebHDFS as the superuser. Returns the JSON response. */
  readonly list: (path: string) => Promise<string>;
  /** Sends a command to the servers, such as `safemode on`; see `MiniHadoop.java`. */
  readonly command: (line: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

const startLimitMs = 300_000;
const maxAttempts = 3;

/** Starts a mini cluster, which ends with this process. `javaOptions` are those of its servers. */
export async function startMiniHadoop(
  peer: { readonly directory: string },
  properties: Readonly<Record<string, string>> = {},
  javaOptions: readonly string[] = [],
): Promise<MiniHadoop> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(peer.directory, properties, javaOptions);
    } catch (error) {
      if (attempt === maxAttempts) throw error;
    }
  }
}

async function startOnce(
  peer: string,
  properties: Readonly<Record<string, string>>,
  javaOptions: readonly string[],
): Promise<MiniHadoop> {
  const directory = mkdtempSync(join(tmpdir(), "firesteel-hadoop-"));
  const javaHome = localJava(nodeHost())?.home;
  if (javaHome === undefined) throw new Error("no Java is here");
  const etc = join(directory, "etc");
  mkdirSync(etc);
  if (properties["yarn.http.policy"] === "HTTPS_ONLY") makeKeys(etc, javaHome);
  const classPath = [etc, join(peer, "lib", "*")].join(":");
  const args = [
    ...javaOptions,
    ...["-Xmx1g", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", classPath],
    ...[join(sources, "MiniHadoop.java"), directory],
    ...Object.entries(properties).map(([name, value]) => `${name}=${value}`),
  ];
  const env = { ...process.env, JAVA_HOME: javaHome };
  const java = join(javaHome, "bin", "java");
  const child = spawn(java, args, { cwd: directory, env, stdio: ["pipe", "pipe", "pipe"] });
  // The mini cluster ends when its stdin closes, that is, when this process ends.
  child.stdin.on("error", () => {});
  const ended = new Promise<void>((resolve) => {
    child.on("close", () => resolve());
    child.on("error", () => resolve());
  });
  const stop = async () => {
    child.stdin.end();
    const limit = setTimeout(() => child.kill("SIGKILL"), startLimitMs);
    await ended;
    clearTimeout(limit);
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await waitForOutput(child, "ready");
  } catch (error) {
    child.kill("SIGKILL");
    await stop();
    throw error;
  }
  return {
    directory,
    confDirectory: join(directory, "conf"),
    fileSystem: fileSystemIn(join(directory, "conf")),
    webAddress: webAddressIn(join(directory, "conf")),
    authority: join(etc, "authority.pem"),
    stop,
    async command(line) {
      child.stdin.write(`${line}\n`);
      await waitForOutput(child, "done");
    },
    containerFile: (appId, path) => containerFile(directory, appId, path),
    list: (path) => listing(join(directory, "conf"), path),
    logsOf: (appId, name) => logsOf(directory, appId, name),
  };
}

/** Creates the key store of the servers, which clients in containers trust, and its configuration. */
function makeKeys(etc: string, javaHome: string): void {
  const store = join(etc, "keys.p12");
  const keytool = (...args: string[]) =>
    call(join(javaHome, "bin", "keytool"), [
      ...[...args, "-alias", "server", "-keystore", store, "-storetype", "PKCS12", "-storepass", "password"],
    ]);
  const names = `SAN=dns:localhost,dns:${hostname()},ip:127.0.0.1`;
  keytool("-genkeypair", "-keyalg", "RSA", "-dname", "CN=localhost", "-ext", names, "-validity", "2");
  keytool("-exportcert", "-rfc", "-file", join(etc, "authority.pem"));
  for (const side of ["server", "client"]) {
    const entries = ["keystore", "truststore"].flatMap((kind): (readonly [string, string])[] => [
      [`ssl.${side}.${kind}.location`, store],
      [`ssl.${side}.${kind}.type`, "pkcs12"],
      [`ssl.${side}.${kind}.password`, "password"],
    ]);
    const all = [...entries, [`ssl.${side}.keystore.keypassword`, "password"] as const];
    writeFileSync(join(etc, `ssl-${side}.xml`), printHadoopXml(all));
  }
}

function waitForOutput(child: ChildProcess, expected: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let stderrText = "";
    const end = (reason?: string) => {
      clearTimeout(limit);
      child.stderr?.off("data", onStderr);
      child.stdout?.off("data", listen);
      child.off("close", ended);
      child.off("error", failed);
      if (reason === undefined) resolve();
      else reject(new Error(`the mini Hadoop ${reason}: ${stderrText.slice(-2000)}`));
    };
    const limit = setTimeout(() => end(`was not ${expected} after ${startLimitMs} ms`), startLimitMs);
    const onStderr = (chunk: unknown) => {
      stderrText = (stderrText + chunk).slice(-10_000);
    };
    const listen = (chunk: unknown) => {
      if (String(chunk).includes(expected)) end();
    };
    const ended = (code: unknown) => end(`ended with ${code}`);
    const failed = (error: Error) => end(error.message);
    child.stderr?.on("data", onStderr);
    child.stdout?.on("data", listen);
    child.on("close", ended);
    child.on("error", failed);
  });
}

/** Properties that keep the directories of ended containers. */
export const keptContainers = { "yarn.nodemanager.delete.debug-delay-sec": "3600" };

/** Reads a file from the work or log directory of a container. */
function containerFile(directory: string, appId: string, path: string): string {
  const container = new RegExp(`/${appId}/container_\\d+_\\d+_01_000001$`);
  const found = readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => container.test(name))
    .map((name) => join(directory, name, path))
    .find((file) => existsSync(file));
  if (found === undefined) throw new Error(`${path} of ${appId} is not kept in ${directory}`);
  return readFileSync(found, "utf8");
}

function fileSystemIn(confDirectory: string): string {
  const site = readFileSync(join(confDirectory, "core-site.xml"), "utf8");
  return (/fs\.defaultFS<\/name><value>([^<]*)/.exec(site)?.[1] ?? "").replace(/\/$/, "");
}

function webAddressIn(confDirectory: string): string {
  const site = readFileSync(join(confDirectory, "hdfs-site.xml"), "utf8");
  const scheme = site.includes("HTTPS_ONLY") ? "https" : "http";
  return `${scheme}://${new RegExp(`dfs\\.namenode\\.${scheme}-address</name><value>([^<]*)`).exec(site)?.[1]}`;
}

async function listing(confDirectory: string, path: string): Promise<string> {
  const address = webAddressIn(confDirectory);
  const response = await fetch(`${address}/webhdfs/v1${path}?op=LISTSTATUS&user.name=${userInfo().username}`);
  return response.text();
}

function logsOf(directory: string, appId: string, name: string): string {
  const paths = readdirSync(directory, { recursive: true, encoding: "utf8" }).sort();
  return paths
    .filter((path) => path.includes("-logDir-") && path.includes(`/${appId}/`) && path.endsWith(`/${name}`))
    .map((path) => readFileSync(join(directory, path), "utf8"))
    .join("\n");
}

/** Compiles the Java test application against a Spark. Returns the path of the jar. */
export function buildPiJar(sparkHome: string, directory: string): string {
  const classes = join(directory, "classes");
  mkdirSync(classes, { recursive: true });
  const classPath = join(sparkHome, "jars", "*");
  call("javac", ["-cp", classPath, "-d", classes, join(sources, "Pi.java")]);
  const jar = join(directory, "pi.jar");
  call("jar", ["cf", jar, "-C", classes, "."]);
  return jar;
}

/** Writes a file. Returns its path. */
export function fileOf(directory: string, name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}
