import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type ContractClient, contractClient, type ResponseBody } from "../contract/contract-client.ts";
import { targets } from "../contract/target.ts";
import type { StoredObject } from "../golden/api-state.ts";

/** A separate namespace in an existing cluster. */
export interface RealNamespace {
  readonly name: string;
  /** Master URL `k8s://https://…` from the kubeconfig. */
  readonly master: string;
  /** Sends a request as the administrator. */
  readonly call: ContractClient["call"];
  /** Creates an object at the path of its collection. */
  readonly create: (path: string, body: unknown) => Promise<void>;
  /** Lists the driver's pod and the objects that it owns. */
  readonly objectsOf: (pod: string) => Promise<readonly StoredObject[]>;
  /** Runs a submission. Returns the driver's pod and when it appeared, in ms of the monotonic clock. */
  readonly driverOf: (submission: () => void) => Promise<{ readonly pod: string; readonly at: number }>;
  /** Creates a ConfigMap `files` with copies of files, by their names. */
  readonly createFiles: (paths: readonly string[]) => Promise<void>;
  readonly remove: () => Promise<void>;
}

const accessGroup = "rbac.authorization.k8s.io";
/** Kinds of objects that a driver may own. */
const kinds = [
  { apiVersion: "v1", kind: "Service", plural: "services" },
  { apiVersion: "v1", kind: "ConfigMap", plural: "configmaps" },
  { apiVersion: "v1", kind: "Secret", plural: "secrets" },
  { apiVersion: "v1", kind: "PersistentVolumeClaim", plural: "persistentvolumeclaims" },
  { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", plural: "networkpolicies" },
];

/** Creates a namespace with an account `spark` that can create executors. */
export async function realNamespace(kubeconfig: string): Promise<RealNamespace> {
  const target = await targets(kubeconfig).at(-1)?.open();
  if (target === undefined) throw new Error(`${kubeconfig} names no cluster`);
  const { call } = contractClient(target.transport);
  const name = `firesteel-${randomBytes(3).toString("hex")}`;
  const at = `/api/v1/namespaces/${name}`;
  const create = async (path: string, body: unknown) => {
    const response = await call("POST", path, body);
    if (response.status >= 300) throw new Error(`POST ${path}: ${response.text}`);
  };
  await create("/api/v1/namespaces", { metadata: { name } });
  await create(`${at}/serviceaccounts`, { metadata: { name: "spark" } });
  await create(`/apis/${accessGroup}/v1/namespaces/${name}/rolebindings`, {
    metadata: { name: "spark" },
    roleRef: { apiGroup: accessGroup, kind: "ClusterRole", name: "edit" },
    subjects: [{ kind: "ServiceAccount", name: "spark", namespace: name }],
  });
  const drivers = `${at}/pods?labelSelector=spark-role%3Ddriver`;
  return {
    name,
    master: masterOf(kubeconfig),
    call,
    create,
    async objectsOf(pod) {
      const { body, status } = await call("GET", `${at}/pods/${pod}`);
      if (status !== 200) throw new Error(`there is no pod ${pod}`);
      const found: ResponseBody[] = [body];
      for (const { apiVersion, kind, plural } of kinds) {
        const root = apiVersion === "v1" ? "/api" : "/apis";
        const { items } = (await call("GET", `${root}/${apiVersion}/namespaces/${name}/${plural}`)).body;
        const owned = items.filter(({ metadata }) =>
          metadata.ownerReferences?.some(({ uid }) => uid === body.metadata.uid),
        );
        found.push(...owned.map((item) => ({ ...item, apiVersion, kind })));
      }
      return found.map((object) => JSON.parse(JSON.stringify(object)));
    },
    async driverOf(submission) {
      const names = async () => (await call("GET", drivers)).body.items.map(({ metadata }) => metadata.name ?? "");
      const before = await names();
      submission();
      for (;;) {
        const pod = (await names()).find((candidate) => !before.includes(candidate));
        if (pod !== undefined) return { pod, at: performance.now() };
        await setTimeout(20);
      }
    },
    async createFiles(paths) {
      const files = paths.map((path) => [basename(path), readFileSync(path, "base64")]);
      await create(`${at}/configmaps`, { metadata: { name: "files" }, binaryData: Object.fromEntries(files) });
    },
    async remove() {
      await call("DELETE", `/api/v1/namespaces/${name}`);
      await target.close();
    },
  };
}

function masterOf(kubeconfig: string): string {
  const server = /server:\s*"?([^\s"]+)/.exec(readFileSync(kubeconfig, "utf8"))?.[1];
  return `k8s://${server}`;
}
