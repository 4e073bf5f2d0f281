import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";

const program = resolve("dist/bin/firesteel.cjs");

/** A shuffle service in a process of its own. */
export interface RunningService {
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

/** A kind of shuffle service. */
export interface ServiceKind {
  readonly name: string;
  /** Starts it at a port of 127.0.0.1, for local directories below `root`. */
  readonly start: (directory: string, root: string, port: number) => Promise<RunningService>;
}

/** Firesteel's service. */
export const ownService: ServiceKind = {
  name: "Firesteel",
  start(directory, root, port) {
    const properties = join(directory, "shuffle.properties");
    writeFileSync(properties, "spark.authenticate false\n");
    const options = ["--properties-file", properties, "--host", "127.0.0.1", "--port", String(port)];
    const args = ["--use-openssl-ca", program, "shuffle-service", ...options, "--directories", root];
    return started(spawn(process.execPath, args, { stdio: "ignore" }), port);
  },
};

/** Spark's own service. */
export function sparkService(sparkHome: string): ServiceKind {
  return {
    name: "Spark",
    start(directory, root, port) {
      const conf = join(directory, "conf");
      mkdirSync(conf, { recursive: true });
      const settings = {
        "spark.shuffle.service.enabled": "true",
        "spark.shuffle.service.port": port,
        "spark.local.dir": root,
      };
      const lines = Object.entries(settings).map(([key, value]) => `${key} ${value}\n`);
      writeFileSync(join(conf, "spark-defaults.conf"), lines.join(""));
      const env = { ...process.env, SPARK_CONF_DIR: conf, SPARK_DAEMON_MEMORY: "1g", SPARK_LOCAL_IP: "127.0.0.1" };
      const service = "org.apache.spark.deploy.ExternalShuffleService";
      // The script replaces itself by the JVM.
      return started(spawn(join(sparkHome, "bin", "spark-class"), [service], { env, stdio: "ignore" }), port);
    },
  };
}

async function started(child: ChildProcess, port: number): Promise<RunningService> {
  let hasEnded = false;
  const ended = new Promise<void>((resolveEnd) => {
    child.once("close", () => {
      hasEnded = true;
      resolveEnd();
    });
  });
  while (!(await isOpen(port))) {
    if (hasEnded) throw new Error(`The service at port ${port} has ended.`);
    await setTimeout(100);
  }
  return {
    pid: child.pid ?? 0,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolveOpen) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolveOpen(true);
    });
    socket.once("error", () => resolveOpen(false));
  });
}
