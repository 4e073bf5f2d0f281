import { nodeHost } from "../../src/host/node-host.ts";
import type { Transport } from "../../src/kube/transport.ts";
import type { Container, Event, Pod, PodSpec } from "../../src/kube/types.ts";
import { type ContractClient, contractClient } from "./contract-client.ts";
import type { OpenPodCluster } from "./pod-cluster.ts";

/** Client of a cluster in a separate namespace for one test. */
export interface TestNamespace {
  readonly namespace: string;
  /** An image with a shell and Python. */
  readonly image: string;
  readonly client: ContractClient;
  readonly transport: Transport;
  /** Returns the path of a collection, or of an object in it. */
  readonly at: (plural: string, name?: string) => string;
  readonly create: (plural: string, object: object) => Promise<void>;
  /** Creates a pod that by default never restarts; a container without an image gets one. */
  readonly pod: (name: string, spec: object) => Promise<void>;
  readonly get: (name: string) => Promise<Pod>;
  /** Waits until the condition holds; throws the pod's status on timeout. */
  readonly until: (name: string, holds: (pod: Pod) => boolean, seconds?: number) => Promise<Pod>;
  readonly log: (name: string, query?: string) => Promise<string>;
  /** Lists the events of a pod by their last change. */
  readonly events: (name: string) => Promise<readonly Event[]>;
  readonly untilEvent: (name: string, reason: string, seconds?: number) => Promise<Event>;
  readonly remove: (name: string, options?: object) => Promise<void>;
  readonly close: () => Promise<void>;
}

const { clock } = nodeHost();
let serial = 0;

/** Builds a container that runs a script. */
export function sh(name: string, script: string, more: Partial<Container> = {}): Container {
  return { name, command: ["sh", "-c", script], ...more };
}

export function isTerminated({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** Returns the state of a pod's container by index or name. */
export function stateOf({ status }: Pod, which: number | string = 0) {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const found = typeof which === "number" ? status?.containerStatuses?.[which] : all.find(({ name }) => name === which);
  return { ...found?.state, last: found?.lastState, ready: found?.ready, restarts: found?.restartCount };
}

/** Prints a condition as `type=status`, with the reason. */
export function conditionsOf({ status }: Pod): Readonly<Record<string, string>> {
  const list = status?.conditions ?? [];
  return Object.fromEntries(
    list.map(({ type, status: is, reason }) => [type, reason === undefined ? is : `${is} ${reason}`]),
  );
}

/** Creates a namespace that is ready for pods. */
export async function createTestNamespace({ transport, image }: OpenPodCluster): Promise<TestNamespace> {
  serial += 1;
  const namespace = `pods-${process.pid}-${serial}`;
  const client = contractClient(transport);
  const at = (plural: string, name?: string) =>
    `/api/v1/namespaces/${namespace}/${plural}${name === undefined ? "" : `/${name}`}`;
  const metadata = { name: namespace };
  await client.call("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata });
  await settled(async () => (await client.call("GET", at("serviceaccounts", "default"))).status === 200);
  await settled(async () => (await client.call("GET", at("configmaps", "kube-root-ca.crt"))).status === 200);
  const withImage = (container: Container): Container => ({
    ...{ image, imagePullPolicy: "IfNotPresent" },
    ...container,
  });
  const parse = <T>(text: string): T => JSON.parse(text);
  const get = async (name: string) => parse<Pod>((await client.call("GET", at("pods", name))).text);
  const events = async (name: string) => {
    const { uid = "" } = (await get(name)).metadata ?? {};
    const path = `${at("events")}?fieldSelector=involvedObject.uid%3D${uid}`;
    const { items } = parse<{ items: readonly Event[] }>((await client.call("GET", path)).text);
    return [...items].sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
  };
  const create = async (plural: string, object: object) => {
    const { status, text } = await client.call("POST", at(plural), { apiVersion: "v1", ...object });
    if (status >= 400) throw new Error(text);
  };
  return {
    ...{ namespace, image, client, transport, at, get, events, create },
    pod: (name, spec) => {
      const { containers = [], initContainers, ...rest }: Partial<PodSpec> = spec;
      return create("pods", {
        ...{ kind: "Pod", metadata: { name, labels: { app: name } } },
        spec: {
          ...{ restartPolicy: "Never", terminationGracePeriodSeconds: 2, ...rest },
          containers: containers.map(withImage),
          ...(initContainers === undefined ? {} : { initContainers: initContainers.map(withImage) }),
        },
      });
    },
    async until(name, holds, seconds) {
      let pod: Pod = {};
      await settled(async () => {
        pod = await get(name);
        return holds(pod);
      }, seconds).catch(() => Promise.reject(new Error(JSON.stringify(pod.status ?? pod, undefined, 1))));
      return pod;
    },
    log: async (name, query = "") => (await client.call("GET", `${at("pods", name)}/log?${query}`)).text,
    async untilEvent(name, reason, seconds) {
      let found: Event | undefined;
      let last: readonly Event[] = [];
      await settled(async () => {
        last = await events(name);
        found = last.find((event) => event.reason === reason);
        return found !== undefined;
      }, seconds).catch(() => {});
      if (found !== undefined) return found;
      throw new Error(`no ${reason} among ${last.map((event) => `${event.reason}: ${event.message}`).join("\n")}`);
    },
    async remove(name, options = {}) {
      await client.call("DELETE", at("pods", name), options);
    },
    async close() {
      await client.call("DELETE", at("pods"), { gracePeriodSeconds: 0 });
      await client.call("DELETE", `/api/v1/namespaces/${namespace}`);
    },
  };
}

/** Creates an object that is not in the test's namespace, or in an API group. Returns the function that deletes it. */
export async function createAt(
  { client }: TestNamespace,
  path: string,
  object: { readonly metadata: { readonly name: string }; readonly [field: string]: unknown },
) {
  const { status, text } = await client.call("POST", path, object);
  if (status >= 400) throw new Error(text);
  return async () => void (await client.call("DELETE", `${path}/${object.metadata.name}`));
}

/** Waits until a condition holds. @throws Error after a time */
export async function settled(holds: () => Promise<boolean>, seconds = 60): Promise<void> {
  const end = clock.monotonic() + seconds * 1000;
  while (!(await holds())) {
    if (clock.monotonic() > end) throw new Error(`it did not come to that in ${seconds} s`);
    await clock.sleep(100);
  }
}
