import { nodeHost } from "../../src/host/node-host.ts";
import { resourcePath, resourceTypes } from "../../src/kube/resources.ts";
import type { ApiRequest } from "../../src/kube/transport.ts";
import type { KubeResource, Pod } from "../../src/kube/types.ts";
import { type EmbeddedCluster, startCluster } from "../../src/local-cluster/index.ts";

/** An embedded API without a node: only garbage collection changes objects. */
export function startApi(directory: string): Promise<EmbeddedCluster> {
  return startCluster(nodeHost(), {
    directory,
    apiOnly: true,
    sandbox: "auto",
    sparkHomes: [],
    javaHome: undefined,
  });
}

/** Makes one call as the administrator and returns the object. @throws Error with the API's message */
export async function call<T = KubeResource>(
  { transport }: EmbeddedCluster,
  method: ApiRequest["method"],
  path: string,
  body?: unknown,
): Promise<T> {
  const merges = method === "PATCH";
  const headers = { "content-type": merges ? "application/merge-patch+json" : "application/json" };
  const reply = await transport({
    method,
    path,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of reply.body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  if (reply.status >= 400) throw new Error(`${method} ${path}: ${text}`);
  return parseJson(text);
}

function parseJson<T>(text: string): T {
  return JSON.parse(text);
}

/** Creates a namespace. */
export async function createNamespace(cluster: EmbeddedCluster, name: string): Promise<void> {
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  await call(cluster, "POST", resourcePath(resourceTypes.namespace), namespace);
}

const types = [
  resourceTypes.pod,
  resourceTypes.configMap,
  resourceTypes.secret,
  resourceTypes.service,
  resourceTypes.networkPolicy,
  resourceTypes.persistentVolumeClaim,
];

/** Objects in a namespace, except those that every namespace has. */
export async function objectsIn(cluster: EmbeddedCluster, namespace: string): Promise<readonly KubeResource[]> {
  const lists = await Promise.all(
    types.map(async (type) => {
      const { items } = await call<{ items: KubeResource[] }>(cluster, "GET", resourcePath(type, namespace));
      return items.map((item) => ({ ...item, kind: type.kind }));
    }),
  );
  return lists.flat().filter(({ metadata }) => metadata.name !== "kube-root-ca.crt");
}

/** Pods that mount a ConfigMap, Secret or claim that does not exist. */
export async function podsWithout(cluster: EmbeddedCluster, namespace: string): Promise<readonly string[]> {
  const pods = await call<{ items: Pod[] }>(cluster, "GET", resourcePath(resourceTypes.pod, namespace));
  const there = (await objectsIn(cluster, namespace)).map(({ kind, metadata }) => `${kind}/${metadata.name}`);
  return pods.items.flatMap(({ metadata, spec }) =>
    (spec?.volumes ?? [])
      .flatMap(({ configMap, secret, persistentVolumeClaim }) => [
        ...(configMap === undefined ? [] : [`ConfigMap/${configMap.name}`]),
        ...(secret === undefined ? [] : [`Secret/${secret.secretName}`]),
        ...(persistentVolumeClaim === undefined ? [] : [`PersistentVolumeClaim/${persistentVolumeClaim.claimName}`]),
      ])
      .filter((reference) => !there.includes(reference))
      .map((reference) => `${metadata?.name} without ${reference}`),
  );
}

/** Objects that no pod owns. */
export function unowned(objects: readonly KubeResource[]): readonly string[] {
  return objects
    .filter(({ kind, metadata }) => kind !== "Pod" && (metadata.ownerReferences ?? []).length === 0)
    .map(({ kind, metadata }) => `${kind}/${metadata.name}`);
}
