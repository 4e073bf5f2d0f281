/** Access to the cluster on which faults are recorded. */
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { nodeHost } from "../../src/host/node-host.ts";
import type { ApiRequest } from "../../src/kube/transport.ts";
import { type KubeClient, kubeClient } from "../../src/kube-client/client.ts";
import { type ContractResponse, contractClient } from "../../test/contract/contract-client.ts";
import { openKubeconfig } from "../../test/contract/target.ts";
import type { Scenario } from "./scenario.ts";

export interface Cluster {
  readonly kubeconfig: string;
  readonly client: KubeClient;
  /** Sends a request as the administrator, and returns any response. */
  readonly call: (method: ApiRequest["method"], path: string, body?: unknown) => Promise<ContractResponse>;
  /** Creates an object at the path of its collection. Throws if the API rejects it. */
  readonly create: (path: string, object: unknown) => Promise<void>;
  readonly version: string;
  readonly nodeName: string;
  readonly close: () => Promise<void>;
}

/** Opens the cluster of a kubeconfig. */
export async function openCluster(kubeconfig: string): Promise<Cluster> {
  const { transport, close } = openKubeconfig(kubeconfig);
  const { call } = contractClient(transport);
  const client = kubeClient({
    ...{ transport, server: "", clock: nodeHost().clock, log: () => {}, requestTimeoutMs: 30_000 },
  });
  const version: unknown = JSON.parse((await call("GET", "/version")).text).gitVersion;
  const nodes = (await call("GET", "/api/v1/nodes")).body.items;
  return {
    ...{ kubeconfig, client, close, version: String(version), nodeName: nodes[0]?.metadata.name ?? "" },
    call: (method, path, body) =>
      contractClient(transport).call(method, path, body, {
        type: method === "PATCH" ? "application/merge-patch+json" : "application/json",
      }),
    async create(path, object) {
      const response = await call("POST", path, object);
      if (response.status >= 300) throw new Error(`POST ${path}: ${response.text}`);
    },
  };
}

const accessGroup = "rbac.authorization.k8s.io";

/** Creates a namespace with the account `spark`, which may create executors. */
export async function createNamespace({ create }: Cluster, name: string): Promise<void> {
  await create("/api/v1/namespaces", { metadata: { name } });
  await create(`/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: "spark" } });
  await create(`/apis/${accessGroup}/v1/namespaces/${name}/rolebindings`, {
    metadata: { name: "spark" },
    roleRef: { apiGroup: accessGroup, kind: "ClusterRole", name: "edit" },
    subjects: [{ kind: "ServiceAccount", name: "spark", namespace: name }],
  });
}

/** Runs a shell command of the person who records, such as one that stops the node. */
export function runCommand(command: string): void {
  execFileSync("sh", ["-c", command], { stdio: "inherit" });
}

/** Answers every request at a port with the same response, until the returned function is called. */
export function startResponder({ port, status, body }: NonNullable<Scenario["responses"]>): () => void {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { "content-type": "application/xml" }).end(request.method === "HEAD" ? undefined : body);
  });
  server.listen(port);
  return () => server.close();
}
