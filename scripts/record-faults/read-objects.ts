/** Reads the objects of a recorded namespace. */
import type { KubeResource } from "../../src/kube/types.ts";
import { parseProperties } from "../../src/values/properties.ts";
import type { Cluster } from "./cluster.ts";

/** Reads the objects that a diagnosis reads, without the data of ConfigMaps and Secrets. */
export async function readObjects({ call }: Cluster, namespace: string): Promise<readonly KubeResource[]> {
  const at = `/api/v1/namespaces/${namespace}`;
  const kinds = [
    { path: "/api/v1/nodes", kind: "Node" },
    ...["ResourceQuota", "LimitRange", "PersistentVolumeClaim", "ConfigMap", "Secret"].map((kind) => ({
      path: `${at}/${kind.toLowerCase()}s`,
      kind,
    })),
  ];
  const lists = await Promise.all(
    kinds.map(async ({ path, kind }) => {
      const items: readonly KubeResource[] = JSON.parse((await call("GET", path)).text).items;
      return items
        .filter(({ metadata }) => metadata.name !== "kube-root-ca.crt")
        .map(({ data: _, ...item }) => ({ ...item, apiVersion: "v1", kind }));
    }),
  );
  return lists.flat();
}

/** Reads the settings of the driver from its ConfigMap. */
export async function readProperties({ call }: Cluster, namespace: string): Promise<Readonly<Record<string, string>>> {
  const { items } = (await call("GET", `/api/v1/namespaces/${namespace}/configmaps`)).body;
  const text = items.map(({ data }) => data?.["spark.properties"]).find((one) => one !== undefined);
  const parsed = parseProperties(text ?? "");
  return parsed.ok ? Object.fromEntries(parsed.entries) : {};
}
