import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { loadAll } from "js-yaml";
import { resourcePath, resourceTypeOf } from "../../src/kube/resources.ts";
import type { KubeResource } from "../../src/kube/types.ts";
import type { ApiTarget } from "./api-target.ts";
import type { GatewayCluster } from "./gateway-process.ts";

/** Enough that the controllers of the cluster, which work on each Service, take part. */
const count = 3000;
const concurrency = 16;

/**
 * Creates what the cluster needs of applications (pod, ConfigMap, Service, NetworkPolicy) as fast as the bare API can: no server of
 * submissions can create more drivers.
 *
 * @returns applications in a second
 */
export async function measureBareObjects({ namespace, home }: GatewayCluster, target: ApiTarget): Promise<number> {
  const objects = renderObjects(home);
  const started = performance.now();
  let next = 0;
  const work = async () => {
    while (next < count) {
      const suffix = `bare-${next++}`;
      for (const object of objects) {
        // Without labels, so that the gateway does not take them for drivers.
        const body = { ...object, metadata: { name: `${object.kind.toLowerCase()}-${suffix}` } };
        await target.fetchText({ method: "POST", path: resourcePath(resourceTypeOf(object), namespace), body });
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return count / ((performance.now() - started) / 1000);
}

/** Returns the objects of a submission as the gateway makes them, without its executors. */
function renderObjects(home: string): readonly KubeResource[] {
  const settings = ["--conf", "spark.kubernetes.container.image=spark:4.3.0"];
  const application = ["--class", "org.example.Main", "local:///opt/app/app.jar", "1000"];
  const text = execFileSync(
    process.execPath,
    [
      ...["--use-openssl-ca", resolve("dist/bin/firesteel.cjs"), "render", "--master", "k8s://https://api"],
      ...["--deploy-mode", "cluster", ...settings, ...application],
    ],
    { env: { PATH: process.env["PATH"] ?? "", HOME: home }, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] },
  );
  const objects = loadAll(text).filter(isResource);
  return objects.filter(({ metadata }) => metadata.labels?.["spark-role"] !== "executor");
}

function isResource(value: unknown): value is KubeResource {
  return typeof value === "object" && value !== null && "kind" in value && "metadata" in value;
}
