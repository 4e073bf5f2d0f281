import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import type { KubeResource } from "../../src/kube/types.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import { createNamespace, objectsIn, startApi } from "./embedded-api.ts";
import { type FaultProxy, openFaultProxy, type RecordedRequest, type RequestOutcome } from "./fault-proxy.ts";

/** A namespace for one test, and a proxy to its API. */
export interface TestNamespace {
  readonly namespace: string;
  readonly proxy: FaultProxy;
  /** Arguments of a submission to it that does not wait for its driver. */
  readonly args: readonly string[];
  readonly objects: () => Promise<readonly KubeResource[]>;
}

/** API for the tests of one `describe`. */
export interface ApiNamespaces {
  readonly cluster: () => EmbeddedCluster;
  /** A new namespace; `decide` selects the outcome of each request through its proxy. */
  readonly create: (decide?: (visit: RecordedRequest) => RequestOutcome) => Promise<TestNamespace>;
}

/** Starts an embedded API without a node before the tests of a `describe`, and stops it after them. */
export function apiNamespaces(prefix: string): ApiNamespaces {
  const directory = mkdtempSync(join(tmpdir(), "firesteel-api-"));
  let started: EmbeddedCluster | undefined;
  let count = 0;
  const cluster = () => {
    if (started === undefined) throw new Error("the API has not started");
    return started;
  };
  beforeAll(async () => {
    started = await startApi(directory);
  }, 60_000);
  afterAll(async () => {
    await started?.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    cluster,
    async create(decide = () => "pass") {
      count += 1;
      const namespace = `${prefix}-${count}`;
      await createNamespace(cluster(), namespace);
      const proxy = await openFaultProxy(cluster().transport, decide);
      onTestFinished(() => proxy.close());
      const settings = [
        `spark.kubernetes.namespace=${namespace}`,
        "spark.kubernetes.submission.waitAppCompletion=false",
        "spark.kubernetes.container.image=spark",
        "spark.firesteel.staging.initContainer.image=spark-init-container",
      ];
      const args = [
        ...["--master", `k8s://${proxy.url}`, "--deploy-mode", "cluster", "--name", prefix],
        ...settings.flatMap((setting) => ["--conf", setting]),
      ];
      return { namespace, proxy, args, objects: () => objectsIn(cluster(), namespace) };
    },
  };
}

/** Rejection of a new pod by an administrator's quota. */
export const refusingPods = ({ method, path }: RecordedRequest): RequestOutcome =>
  method === "POST" && /\/pods(\?|$)/.test(path)
    ? { status: 403, message: "exceeded quota: pods", reason: "Forbidden" }
    : "pass";
