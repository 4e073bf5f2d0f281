import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeHost } from "../../src/host/node-host.ts";
import { localJava } from "../../src/spark/find-java.ts";
import { printHadoopXml } from "../../src/values/hadoop-xml.ts";
import { call, fetchPeer, type Peer } from "./fetch-peer.ts";
import { freePort, hadoopPrincipal, type KerberosRealm } from "./kerberos-realm.ts";
import type { MiniHadoop } from "./mini-hadoop.ts";

const pom = join(dirname(fileURLToPath(import.meta.url)), "httpfs", "pom.xml");
const copyDependencies = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies";

/** Fetches HttpFS and its dependencies with Maven: about 65 MB of jars. Maven has no HttpFS of the mini cluster's release. */
export function fetchHttpFs(): Peer {
  const digest = createHash("sha256").update(readFileSync(pom)).digest("hex").slice(0, 12);
  return fetchPeer(`httpfs-${digest}`, "Maven", (directory) => {
    const output = `-DoutputDirectory=${join(directory, "lib")}`;
    call("mvn", ["-q", "-B", "-f", pom, copyDependencies, output, "-DincludeScope=runtime"]);
  });
}

/** HttpFS server, which accesses an HDFS for its clients as the user of Hadoop's servers. */
export interface HttpFs {
  /** E.g. `localhost:14000`. */
  readonly authority: string;
  readonly stop: () => Promise<void>;
}

/** Properties of an HDFS that lets HttpFS act for its clients. */
export const httpFsProperties = { "hadoop.proxyuser.hadoop.hosts": "*", "hadoop.proxyuser.hadoop.groups": "*" };

const startLimitMs = 120_000;

/** Starts an HttpFS with Kerberos, which ends with this process. */
export async function startHttpFs(
  { directory: peer }: { readonly directory: string },
  realm: KerberosRealm,
  hadoop: Pick<MiniHadoop, "confDirectory">,
): Promise<HttpFs> {
  const home = join(realm.directory, "httpfs");
  for (const name of ["conf", "log", "temp"]) mkdirSync(join(home, name), { recursive: true });
  const conf = join(home, "conf");
  const port = await freePort();
  writeFileSync(join(conf, "signature.secret"), "secret of the cookies");
  writeFileSync(join(conf, "httpfs-site.xml"), printHadoopXml(Object.entries(properties(realm, hadoop, conf, port))));
  const log = ["log4j.rootLogger=INFO,out", "log4j.appender.out=org.apache.log4j.ConsoleAppender"];
  const layout = ["log4j.appender.out.layout=org.apache.log4j.SimpleLayout", ""];
  for (const name of ["log4j.properties", "httpfs-log4j.properties"])
    writeFileSync(join(conf, name), [...log, ...layout].join("\n"));
  const directories = { home, config: conf, log: join(home, "log"), temp: join(home, "temp") };
  const args = [
    // Its JAXB defines classes by reflection.
    ...["--add-opens", "java.base/java.lang=ALL-UNNAMED"],
    `-Djava.security.krb5.conf=${realm.configuration}`,
    ...Object.entries(directories).map(([name, path]) => `-Dhttpfs.${name}.dir=${path}`),
    ...[
      "-Xmx256m",
      "-cp",
      `${conf}:${join(peer, "lib", "*")}`,
      "org.apache.hadoop.fs.http.server.HttpFSServerWebServer",
    ],
  ];
  const java = join(localJava(nodeHost())?.home ?? "", "bin", "java");
  const server = spawn(java, args, { cwd: home, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(server, "close");
  const endWithProcess = () => server.kill("SIGKILL");
  process.once("exit", endWithProcess);
  await new Promise<void>((resolve, reject) => {
    let output = "";
    const fail = (reason: string) => reject(new Error(`HttpFS ${reason}: ${output.slice(-3000)}`));
    const limit = setTimeout(() => fail("did not start"), startLimitMs);
    const listen = (chunk: unknown) => {
      output += chunk;
      if (output.includes("Failed startup")) return fail("did not start");
      if (!output.includes("Started ServerConnector")) return;
      clearTimeout(limit);
      resolve();
    };
    server.stdout.on("data", listen);
    server.stderr.on("data", listen);
    server.once("close", (code) => fail(`ended with ${code}`));
  });
  return {
    authority: `localhost:${port}`,
    async stop() {
      process.off("exit", endWithProcess);
      server.kill("SIGTERM");
      await ended;
    },
  };
}

function properties(
  { serverKeytab: keytab }: KerberosRealm,
  { confDirectory }: Pick<MiniHadoop, "confDirectory">,
  conf: string,
  port: number,
): Readonly<Record<string, string>> {
  return {
    "httpfs.http.hostname": "localhost",
    "httpfs.http.port": String(port),
    "httpfs.hadoop.config.dir": confDirectory,
    "httpfs.hadoop.authentication.type": "kerberos",
    "httpfs.hadoop.authentication.kerberos.principal": hadoopPrincipal,
    "httpfs.hadoop.authentication.kerberos.keytab": keytab,
    "hadoop.http.authentication.type": "kerberos",
    "hadoop.http.authentication.kerberos.principal": "*",
    "hadoop.http.authentication.kerberos.keytab": keytab,
    "hadoop.http.authentication.signature.secret.file": join(conf, "signature.secret"),
    "httpfs.proxyuser.ann.hosts": "*",
    "httpfs.proxyuser.ann.groups": "*",
  };
}
