import { test } from "vitest";
import { runChartLifecycle } from "../images/chart-lifecycle.ts";
import { fetchKubectl } from "../peers/fetch-peer.ts";
import { requires } from "../test-with.ts";
import { type RealNamespace, realNamespace } from "./real-cluster.ts";

const kubeconfig = process.env["FIRESTEEL_REAL_KUBECONFIG"] ?? "";
const sparkImage = process.env["FIRESTEEL_REAL_IMAGE"] ?? "spark:4.3.0";
const initImage = process.env["FIRESTEEL_REAL_INIT_IMAGE"] ?? "";
const serverImage = process.env["FIRESTEEL_REAL_SERVER_IMAGE"] ?? "";

const kubectl = fetchKubectl("35", "2.2.2");

test("the Helm chart installs a server through which files are staged", { timeout: 900_000 }, async (context) => {
  if (serverImage === "" || initImage === "") context.skip("requires the options --server-image and --init-image");
  requires(kubectl)(context);
  // The chart makes a namespace of its own for the server, and the printed commands set up this one.
  const drivers = await realNamespace(kubeconfig);
  const namespace = `${drivers.name}-staging`;
  const repository = serverImage.slice(0, serverImage.lastIndexOf("/") + 1);
  try {
    await runChartLifecycle({
      ...{ kubectl, kubeconfig, env: {}, serverImage, namespace, drivers: drivers.name },
      images: { [`${repository}spark-init-container:0.1.0`]: initImage, [`${repository}spark-py:4.3.0`]: sparkImage },
      values: [
        ...["--set", `stagingServer.namespaces={${drivers.name}}`],
        ...((await hasDefaultStorageClass(drivers)) ? [] : await prepareVolume(drivers, namespace)),
      ],
    });
  } finally {
    await drivers.call("DELETE", `/api/v1/persistentvolumes/${namespace}`);
    await drivers.call("DELETE", `/api/v1/namespaces/${namespace}`);
    await drivers.remove();
  }
});

async function hasDefaultStorageClass({ call }: RealNamespace): Promise<boolean> {
  const { body } = await call("GET", "/apis/storage.k8s.io/v1/storageclasses");
  return body.items.some(
    ({ metadata }) => metadata.annotations?.["storageclass.kubernetes.io/is-default-class"] === "true",
  );
}

/** Creates a volume of a node for the server's claim. Returns the values with which the server can write to it. */
async function prepareVolume({ create }: RealNamespace, namespace: string): Promise<readonly string[]> {
  await create("/api/v1/persistentvolumes", {
    metadata: { name: namespace },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      claimRef: { namespace, name: "files-firesteel-staging-server" },
      hostPath: { path: `/var/tmp/${namespace}`, type: "DirectoryOrCreate" },
    },
  });
  // Nodes do not change the owner of such a directory.
  return ["--set", "stagingServer.podSecurityContext.runAsNonRoot=false,stagingServer.podSecurityContext.runAsUser=0"];
}
