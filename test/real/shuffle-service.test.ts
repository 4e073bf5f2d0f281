import { test } from "vitest";
import { runChartShuffle } from "../images/chart-shuffle.ts";
import { fetchKubectl } from "../peers/fetch-peer.ts";
import { requires } from "../test-with.ts";
import { realNamespace } from "./real-cluster.ts";

const kubeconfig = process.env["FIRESTEEL_REAL_KUBECONFIG"] ?? "";
const serverImage = process.env["FIRESTEEL_REAL_SERVER_IMAGE"] ?? "";
/** Images of Spark, separated by commas, each as `LINE=IMAGE`. */
const distributions = process.env["FIRESTEEL_REAL_SHUFFLE_IMAGES"] ?? "";

const kubectl = fetchKubectl("35", "2.2.2");

test("a DaemonSet of the chart serves the files of ended executors, also during an upgrade", {
  timeout: 1_800_000,
}, async (context) => {
  if (serverImage === "" || distributions === "")
    context.skip("requires the options --server-image and --shuffle-images");
  requires(kubectl)(context);
  const drivers = await realNamespace(kubeconfig);
  const namespace = `${drivers.name}-shuffle`;
  // Such a path needs no removal in clusters of tests, and is not used by a release.
  const directories = { files: `/var/tmp/${drivers.name}/files`, state: `/var/tmp/${drivers.name}/state` };
  try {
    await runChartShuffle({
      ...{ kubectl, kubeconfig, env: {}, master: drivers.master, serverImage },
      ...{ namespace, drivers: drivers.name, directories, ports: { service: 7437, metrics: 7438 }, values: [] },
      distributions: distributions.split(",").map((pair) => {
        const [line = "", image = ""] = pair.split("=");
        return { line, image };
      }),
    });
  } finally {
    await drivers.call("DELETE", `/api/v1/namespaces/${namespace}`);
    const ofRelease = `?labelSelector=${encodeURIComponent(`app.kubernetes.io/instance=${namespace}`)}`;
    for (const kind of ["clusterroles", "clusterrolebindings"])
      await drivers.call("DELETE", `/apis/rbac.authorization.k8s.io/v1/${kind}${ofRelease}`);
    await drivers.remove();
  }
});
