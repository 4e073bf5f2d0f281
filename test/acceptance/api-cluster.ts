import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { type ResourceType, resourcePath, resourceTypes } from "../../src/kube/resources.ts";
import type { KubeResource, Pod } from "../../src/kube/types.ts";
import { requestApi } from "./background-api.ts";
import { run, temporaryDirectory } from "./programs.ts";

/** An embedded API in a process of its own, whose clients can be killed without it. */
export interface ApiCluster {
  readonly kubeconfig: string;
  /** Environment of programs that use the cluster. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts an embedded API, which is deleted after the test. */
export async function startApiCluster(): Promise<ApiCluster> {
  const state = temporaryDirectory();
  const env = { HOME: temporaryDirectory(), FIRESTEEL_STATE: state };
  onTestFinished(async () => void (await run("firesteel", ["cluster", "delete"], { env })));
  expect(await run("firesteel", ["cluster", "start", "--api-only"], { env })).toMatchObject({ exit: 0 });
  const kubeconfig = join(state, "clusters", "default", "kubeconfig");
  return { kubeconfig, env: { ...env, KUBECONFIG: kubeconfig } };
}

/** Creates a namespace. */
export async function createNamespaceIn({ kubeconfig }: ApiCluster, name: string): Promise<void> {
  await requestApi(kubeconfig, "POST", "/api/v1/namespaces", { body: { metadata: { name } } });
}

/** Lists the objects of a kind in a namespace. */
export async function listIn<T = KubeResource>(
  { kubeconfig }: ApiCluster,
  type: ResourceType,
  namespace: string,
): Promise<readonly T[]> {
  const { text } = await requestApi(kubeconfig, "GET", resourcePath(type, namespace));
  const { items }: { readonly items: readonly T[] } = JSON.parse(text);
  return items;
}

/** Returns the driver pods by the last argument of their application. */
export async function driversByArgument(
  cluster: ApiCluster,
  namespace: string,
): Promise<ReadonlyMap<string, readonly Pod[]>> {
  const drivers = new Map<string, readonly Pod[]>();
  for (const pod of await listIn<Pod>(cluster, resourceTypes.pod, namespace)) {
    const argument = pod.spec?.containers[0]?.args?.at(-1) ?? "";
    drivers.set(argument, [...(drivers.get(argument) ?? []), pod]);
  }
  return drivers;
}

/** Finds a free port on loopback, for a server that starts several times at the same address. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
