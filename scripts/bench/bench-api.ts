import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type ApiTarget, openTarget } from "./api-target.ts";
import type { GatewayCluster } from "./gateway-process.ts";
import { timeOf } from "./measure.ts";

/** An embedded API of its own. */
export interface EmbeddedApi {
  /** Path of the kubeconfig. */
  readonly kubeconfig: string;
  /** Directory for the state of the program; deleted at the end. */
  readonly home: string;
  /** Process of the API. */
  readonly pid: number;
  /** Runs `firesteel cluster`. @returns the ms that it took */
  readonly control: (...args: readonly string[]) => Promise<number>;
}

/** Starts an embedded API, and deletes it after use. */
export async function withEmbeddedApi<T>(use: (api: EmbeddedApi) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), "firesteel-bench-"));
  const { PATH = "", XDG_CACHE_HOME = join(homedir(), ".cache") } = process.env;
  const env = { PATH, XDG_CACHE_HOME, HOME: home, FIRESTEEL_STATE: home };
  const control = (...args: readonly string[]) => {
    const all = ["--use-openssl-ca", resolve("dist/bin/firesteel.cjs"), "cluster", ...args];
    return timeOf({ file: process.execPath, args: all, env, exit: 0 });
  };
  const directory = join(home, "clusters", "default");
  try {
    await control("start", "--api-only");
    try {
      const { pid }: { pid: number } = JSON.parse(readFileSync(join(directory, "cluster.json"), "utf8"));
      return await use({ kubeconfig: join(directory, "kubeconfig"), home, pid, control });
    } finally {
      await control("delete");
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Uses the cluster of KUBECONFIG, or an embedded API, with a namespace that is deleted at the end. */
export async function withApi<T>(use: (cluster: GatewayCluster, target: ApiTarget) => Promise<T>): Promise<T> {
  const kubeconfig = process.env["KUBECONFIG"];
  if (kubeconfig === undefined) return withEmbeddedApi((api) => withNamespace(api, use));
  const home = mkdtempSync(join(tmpdir(), "firesteel-bench-"));
  try {
    return await withNamespace({ kubeconfig, home }, use);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Creates a namespace for a gateway and its applications, and deletes it after use. */
export async function withNamespace<T>(
  { kubeconfig, home }: Pick<EmbeddedApi, "kubeconfig" | "home">,
  use: (cluster: GatewayCluster, target: ApiTarget) => Promise<T>,
): Promise<T> {
  const namespace = `firesteel-bench-${randomBytes(4).toString("hex")}`;
  const target = openTarget("api", readFileSync(kubeconfig, "utf8"));
  try {
    await target.fetchText({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } });
    // Without a controller manager, nothing creates the account that pods have by default.
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    await target.fetchText({ method: "POST", path, body: { metadata: { name: "default" } } }).catch(() => {});
    return await use({ kubeconfig, namespace, home }, target);
  } finally {
    await target.fetchText({ method: "DELETE", path: `/api/v1/namespaces/${namespace}` }).catch(() => {});
  }
}
