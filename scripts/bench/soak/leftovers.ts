import { setTimeout } from "node:timers/promises";
import type { ApiTarget } from "../api-target.ts";
import { countApplications } from "../gateway-load.ts";

interface ObjectList {
  readonly items: readonly { readonly metadata: { readonly name: string; readonly ownerReferences?: unknown } }[];
}

const collections = ["pods", "services", "configmaps", "secrets", "persistentvolumeclaims", "networkpolicies"] as const;
/** Objects of the gateway and the cluster. */
const expected = /^secrets\/\S+-ids\b|^configmaps\/kube-root-ca\.crt\b/;
const timeoutMs = 180_000;

/** Waits until the gateway has removed the records of all applications. @returns the number of those that stay */
export async function waitForRemoval(url: string): Promise<number> {
  const started = performance.now();
  for (;;) {
    const count = await countApplications(url);
    if (count === 0 || performance.now() - started > timeoutMs) return count;
    await setTimeout(1000);
  }
}

/** Returns the objects of applications that still exist when all are removed. The cluster deletes those that have an owner. */
export async function findLeftovers(target: ApiTarget, namespace: string): Promise<readonly string[]> {
  const started = performance.now();
  for (;;) {
    const found = await Promise.all(collections.map((collection) => listObjects(target, namespace, collection)));
    const left = found.flat().filter((name) => !expected.test(name));
    if (left.length === 0 || performance.now() - started > timeoutMs) return left;
    await setTimeout(1000);
  }
}

async function listObjects(target: ApiTarget, namespace: string, collection: (typeof collections)[number]) {
  const api = collection === "networkpolicies" ? "apis/networking.k8s.io/v1" : "api/v1";
  const path = `/${api}/namespaces/${namespace}/${collection}`;
  const { items }: ObjectList = JSON.parse(await target.fetchText({ method: "GET", path }));
  return items.map(({ metadata: { name, ownerReferences } }) =>
    ownerReferences === undefined ? `${collection}/${name} (without an owner)` : `${collection}/${name}`,
  );
}
