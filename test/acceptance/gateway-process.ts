import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import { start, temporaryDirectory, withSpark } from "./programs.ts";

/** A running `firesteel gateway` on an embedded cluster of its own. */
export interface GatewayProcess {
  readonly pid: number;
  readonly url: string;
  /** Address of the port for the standalone protocol only. */
  readonly restUrl: string | undefined;
  /** Sends a request. Returns its status, and its body as JSON if it is. */
  readonly send: (method: string, path: string, options?: SendOptions) => Promise<GatewayReply>;
  /** Sends a signal, and waits for the end. @returns the exit code */
  readonly stop: () => Promise<number | string>;
  /** Kills it as if the machine had failed, and waits for the end. */
  readonly kill: () => Promise<void>;
  /** Everything that it has printed. */
  readonly output: () => string;
}

interface SendOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** @default the gateway's port */
  readonly to?: string | undefined;
}

interface GatewayReply {
  readonly status: number;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

/** A setting with which drivers stay pending: no node has this label. */
export const pendingDrivers = ["--conf", "spark.kubernetes.driver.node.selector.none=true"] as const;

/** Starts a gateway, and waits until it listens. */
export function startGateway(...args: readonly string[]): Promise<GatewayProcess> {
  return startProcess({}, ["--cluster", "embedded", ...args]);
}

/** Starts a gateway on a cluster that outlives it, and waits until it listens. */
export function startGatewayOn(
  { kubeconfig }: Pick<EmbeddedCluster, "kubeconfig">,
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<GatewayProcess> {
  const path = join(temporaryDirectory(), "kubeconfig");
  writeFileSync(path, kubeconfig);
  return startProcess({ ...env, KUBECONFIG: path }, args);
}

async function startProcess(env: Readonly<Record<string, string>>, args: readonly string[]): Promise<GatewayProcess> {
  const options = ["--port", "0", "--conf", "spark.kubernetes.container.image=spark:4.3.0"];
  const { child, ended } = start("firesteel", ["gateway", ...options, ...args], {
    env: withSpark({ FIRESTEEL_STATE: temporaryDirectory(), ...env }),
  });
  const stop = async () => {
    child.kill("SIGTERM");
    return (await ended).exit;
  };
  onTestFinished(async () => void (await stop()));
  let [printed, logged] = ["", ""];
  child.stdout.on("data", (chunk) => {
    logged += chunk;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on("data", (chunk) => {
      printed += chunk;
      const started = /^Gateway started on (\S+)$/m.exec(printed)?.[1];
      if (started !== undefined) resolve(started);
    });
    void ended.then(({ stderr }) => reject(new Error(stderr)));
  });
  const restUrl = /^Standalone REST protocol on (\S+)$/m.exec(printed)?.[1];
  return {
    ...{ pid: child.pid ?? 0, url, restUrl, stop, output: () => logged + printed },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    async send(method, path, { body, headers = {}, to = url } = {}) {
      const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
      const init = { method, headers: { "content-type": "application/json", ...headers } };
      const reply = await fetch(`${to}${path}`, { ...init, ...(text !== undefined && { body: text }) });
      const received = await reply.text();
      return { status: reply.status, text: received, json: fieldsOf(received), headers: reply.headers };
    },
  };
}

function fieldsOf(text: string): GatewayReply["json"] {
  return text.startsWith("{") ? JSON.parse(text) : {};
}
