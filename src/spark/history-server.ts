import { guardChild } from "../host/guard-child.ts";
import type { Host } from "../host/host.ts";
import { machineName } from "../host/machine-name.ts";
import { makeProcessDirectory } from "../host/make-process-directory.ts";
import { removeTree } from "../host/remove-tree.ts";
import { printProperties } from "../values/properties.ts";
import type { SparkHome } from "./spark-home.ts";

/** Spark's history server. */
export interface HistoryServer {
  readonly spark: SparkHome;
  /** Absolute path of a Java. */
  readonly javaHome: string;
  /** Jars besides those of the distribution. */
  readonly jars: readonly string[];
  /** Text of a properties file. It can contain credentials. */
  readonly properties: string;
  /** Settings that override those of the file. */
  readonly settings: ReadonlyMap<string, string>;
}

/** A history server that runs. */
export interface RunningHistoryServer {
  /** Resolves when it has ended, with the reason as a part of a sentence. */
  readonly ended: Promise<string>;
  /** Ends it. */
  readonly stop: () => void;
}

const serverClass = "org.apache.spark.deploy.history.HistoryServer";
const boundServer = /Bound HistoryServer to [^,]*, and started at (http[^\s"]+)/;
const maxKeptBytes = 64 * 1024;
/** Time for an orderly end. */
const stopMs = 5000;

/**
 * Starts a history server on 127.0.0.1. It ends with this process, also if that is killed.
 *
 * @param onServing called with its URL once it accepts requests
 * @throws Node's error, e.g. ENOSPC
 */
export function startHistoryServer(
  host: Host,
  server: HistoryServer,
  onServing: (url: string) => void,
): RunningHistoryServer {
  const work = makeProcessDirectory(host, `${host.files.temporaryRoot}/firesteel-history-`);
  try {
    return startIn(work, { host, server, onServing });
  } catch (error) {
    removeTree(host.files, work);
    throw error;
  }
}

interface StartCall {
  readonly host: Host;
  readonly server: HistoryServer;
  readonly onServing: (url: string) => void;
}

function startIn(work: string, { host, server, onServing }: StartCall): RunningHistoryServer {
  const { files, clock } = host;
  const { spark, javaHome, jars, properties, settings } = server;
  // Settings can be secret, so they are not arguments.
  const path = `${work}/history.properties`;
  const text = `${properties}\n${printProperties({ comments: [], entries: settings })}`;
  // Settings of a job on the embedded cluster: the server runs on this machine, not in a pod.
  files.write(path, text.replaceAll(machineName, "127.0.0.1"), { mode: 0o600 });
  const classPath = [host.env["SPARK_DIST_CLASSPATH"] ?? "", ...jars].filter((entry) => entry !== "").join(":");
  const env = {
    ...{ ...host.env, SPARK_HOME: spark.home, JAVA_HOME: javaHome, SPARK_DIST_CLASSPATH: classPath },
    ...{ SPARK_LOCAL_IP: "127.0.0.1", SPARK_PUBLIC_DNS: "127.0.0.1" },
  };
  // The script replaces itself by Java, so that both have the same process ID.
  const child = host.spawn(`${spark.home}/bin/spark-class`, [serverClass, "--properties-file", path], { env });
  const endGuard = guardChild(host, child);
  let output = "";
  let isServing = false;
  const onOutput = (chunk: Uint8Array) => {
    output = `${output}${Buffer.from(chunk).toString("utf8")}`.slice(-maxKeptBytes);
    const url = boundServer.exec(output)?.[1];
    if (isServing || url === undefined) return;
    isServing = true;
    onServing(url);
  };
  child.onOutput(1, onOutput);
  child.onOutput(2, onOutput);
  let isRunning = true;
  let cancelKill = () => {};
  return {
    ended: child.exited.then(({ code, error }) => {
      isRunning = false;
      cancelKill();
      endGuard();
      removeTree(files, work);
      return error ?? reasonIn(output) ?? `the server ended with exit code ${code}`;
    }),
    stop() {
      if (!isRunning) return;
      child.kill("SIGTERM");
      cancelKill();
      cancelKill = clock.after(stopMs, () => child.kill("SIGKILL"));
    },
  };
}

/** Finds the innermost exception in the output of the server. */
function reasonIn(output: string): string | undefined {
  const causes = output.split("\n").filter((line) => /^(Caused by: |Exception in thread)|Exception: /.test(line));
  return causes
    .at(-1)
    ?.replace(/^(Caused by: |Exception in thread "\w+" )/, "")
    .trim()
    .replace(/\.$/, "");
}
