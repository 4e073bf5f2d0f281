import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeHost } from "../../src/host/node-host.ts";
import { localJava } from "../../src/spark/find-java.ts";
import { printHadoopXml } from "../../src/values/hadoop-xml.ts";
import { call, fetchPeer, type Peer } from "./fetch-peer.ts";

const sources = join(dirname(fileURLToPath(import.meta.url)), "hadoop");
const copyDependencies = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies";

/** Hadoop's own mini cluster with what it needs, some 110 MB of jars, found by Maven and fetched once. */
export function fetchMiniHadoop(): Peer {
  const pom = join(sources, "pom.xml");
  const digest = createHash("sha256").update(readFileSync(pom)).digest("hex").slice(0, 12);
  return fetchPeer(`hadoop-${digest}`, (folder) => {
    const output = `-DoutputDirectory=${join(folder, "lib")}`;
    call("mvn", ["-q", "-B", "-f", pom, copyDependencies, output, "-DincludeScope=runtime"]);
  });
}

/** An HDFS and a YARN of one node, on free ports of loopback. */
export interface MiniHadoop {
  /** For HADOOP_CONF_DIR. */
  readonly confFolder: string;
  /** For files of tests; goes with the cluster. */
  readonly folder: string;
  /** The certificate of its servers in PEM; there where it has one. */
  readonly authority: string;
  /** What the containers of an application wrote, one after the other. */
  readonly logsOf: (appId: string, name: "stdout" | "stderr") => string;
  /** What a driver's container was started with, where `keptContainers` are among the properties: `launch_container.sh`. */
  readonly containerFile: (appId: string, path: string) => string;
  /** What WebHDFS tells its superuser of what is in a folder. */
  readonly list: (path: string) => Promise<string>;
  /** Does something to its servers, see `MiniHadoop.java`: `safemode on`. */
  readonly command: (line: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

const startLimitMs = 300_000;
const tries = 3;

/** Starts one; it ends with this process, however that ends. */
export async function startMiniHadoop(
  peer: { readonly folder: string },
  properties: Readonly<Record<string, string>> = {},
): Promise<MiniHadoop> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(peer.folder, properties);
    } catch (error) {
      if (attempt === tries) throw error;
    }
  }
}

async function startOnce(peer: string, properties: Readonly<Record<string, string>>): Promise<MiniHadoop> {
  const folder = mkdtempSync(join(tmpdir(), "firesteel-hadoop-"));
  const javaHome = localJava(nodeHost())?.home;
  if (javaHome === undefined) throw new Error("no Java is here");
  const etc = join(folder, "etc");
  mkdirSync(etc);
  if (properties["yarn.http.policy"] === "HTTPS_ONLY") makeKeys(etc, javaHome);
  const classPath = [etc, join(peer, "lib", "*")].join(":");
  const args = [
    ...["-Xmx1g", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", classPath],
    ...[join(sources, "MiniHadoop.java"), folder],
    ...Object.entries(properties).map(([name, value]) => `${name}=${value}`),
  ];
  const env = { ...process.env, JAVA_HOME: javaHome };
  const java = join(javaHome, "bin", "java");
  const child = spawn(java, args, { cwd: folder, env, stdio: ["pipe", "pipe", "pipe"] });
  // It watches its stdin: when this process is gone, that ends.
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
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await says(child, "ready");
  } catch (error) {
    child.kill("SIGKILL");
    await stop();
    throw error;
  }
  return {
    folder,
    confFolder: join(folder, "conf"),
    authority: join(etc, "authority.pem"),
    stop,
    async command(line) {
      child.stdin.write(`${line}\n`);
      await says(child, "done");
    },
    containerFile: (appId, path) => containerFile(folder, appId, path),
    list: (path) => listing(join(folder, "conf"), path),
    logsOf: (appId, name) => logsOf(folder, appId, name),
  };
}

/** Keys of its servers, and what Hadoop's clients in containers trust, where its daemons look for them. */
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

function says(child: ChildProcess, word: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let complaints = "";
    const end = (why?: string) => {
      clearTimeout(limit);
      child.stderr?.off("data", complain);
      child.stdout?.off("data", listen);
      child.off("close", ended);
      child.off("error", failed);
      if (why === undefined) resolve();
      else reject(new Error(`the mini Hadoop ${why}: ${complaints.slice(-2000)}`));
    };
    const limit = setTimeout(() => end(`was not ${word} after ${startLimitMs} ms`), startLimitMs);
    const complain = (chunk: unknown) => {
      complaints = (complaints + chunk).slice(-10_000);
    };
    const listen = (chunk: unknown) => {
      if (String(chunk).includes(word)) end();
    };
    const ended = (code: unknown) => end(`ended with ${code}`);
    const failed = (error: Error) => end(error.message);
    child.stderr?.on("data", complain);
    child.stdout?.on("data", listen);
    child.on("close", ended);
    child.on("error", failed);
  });
}

/** Keeps the folders of containers that have ended. */
export const keptContainers = { "yarn.nodemanager.delete.debug-delay-sec": "3600" };

/** A container has a folder for its work, and one for its logs, which has the script that started it as well. */
function containerFile(folder: string, appId: string, path: string): string {
  const container = new RegExp(`/${appId}/container_\\d+_\\d+_01_000001$`);
  const found = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => container.test(name))
    .map((name) => join(folder, name, path))
    .find((file) => existsSync(file));
  if (found === undefined) throw new Error(`${path} of ${appId} is not kept in ${folder}`);
  return readFileSync(found, "utf8");
}

async function listing(confFolder: string, path: string): Promise<string> {
  const site = readFileSync(join(confFolder, "hdfs-site.xml"), "utf8");
  const [, address = ""] = /dfs\.namenode\.http-address<\/name><value>([^<]*)/.exec(site) ?? [];
  const answer = await fetch(
    `http://${address}/webhdfs/v1${path}?op=LISTSTATUS&user.name=${userInfo().username}`,
  );
  return answer.text();
}

function logsOf(folder: string, appId: string, name: string): string {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return paths
    .filter((path) => path.includes("-logDir-") && path.includes(`/${appId}/`) && path.endsWith(`/${name}`))
    .map((path) => readFileSync(join(folder, path), "utf8"))
    .join("\n");
}

/** An application in Java for tests, compiled against a Spark. @returns the jar's path */
export function buildPiJar(sparkHome: string, folder: string): string {
  const classes = join(folder, "classes");
  mkdirSync(classes, { recursive: true });
  const classPath = join(sparkHome, "jars", "*");
  call("javac", ["-cp", classPath, "-d", classes, join(sources, "Pi.java")]);
  const jar = join(folder, "pi.jar");
  call("jar", ["cf", jar, "-C", classes, "."]);
  return jar;
}

/** A file with this text. @returns its path */
export function fileOf(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}
