import { afterAll, beforeAll, beforeEach } from "vitest";
import { type ContractClient, contractClient } from "../contract-client.ts";
import type { OpenTarget, Target } from "../target.ts";

/** An API under test and the namespace of the running test. */
export interface ApiNamespace {
  readonly target: OpenTarget;
  /** Client with the administrator's permissions. */
  readonly client: ContractClient;
  readonly namespace: string;
  /** Path of the namespace. */
  readonly base: string;
}

/** Opens an API for the tests of a `describe`, and creates a namespace before each. Its fields are those of the running test. */
export function apiNamespace(open: Target["open"]): ApiNamespace {
  let namespace = "";
  let base = "";
  let serial = 0;
  let opened: { readonly target: OpenTarget; readonly client: ContractClient } | undefined;
  const api = () => {
    if (opened === undefined) throw new Error("the API has not started");
    return opened;
  };
  beforeAll(async () => {
    const target = await open();
    opened = { target, client: contractClient(target.transport) };
  });
  afterAll(() => opened?.target.close());
  beforeEach(async () => {
    const { client } = api();
    serial += 1;
    namespace = `contract-${process.pid}-${serial}`;
    base = `/api/v1/namespaces/${namespace}`;
    await client.call("POST", "/api/v1/namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace },
    });
    await until(
      () => client.call("GET", `${base}/serviceaccounts/default`),
      ({ status }) => status === 200,
    );
    return async () => {
      await client.call("DELETE", `${base}/pods`, { gracePeriodSeconds: 0 });
      await client.call("DELETE", `/api/v1/namespaces/${namespace}`);
    };
  });
  return {
    get target() {
      return api().target;
    },
    get client() {
      return api().client;
    },
    get namespace() {
      return namespace;
    },
    get base() {
      return base;
    },
  };
}

/** Repeats a call for about 40 s until its result meets a condition. Returns the last result. */
export async function until<T>(attempt: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    const value = await attempt();
    // Kubernetes' garbage collector looks for new kinds every 30 s.
    if (holds(value) || tries > 1600) return value;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
