import { join } from "node:path";
import { test } from "vitest";
import { fetchKubectl } from "../peers/fetch-peer.ts";
import { available } from "../requirements.ts";
import { sparkCluster } from "../spark/spark-cluster.ts";
import { describeWith } from "../test-with.ts";
import { debianWithNode } from "./base-image.ts";
import { runChartLifecycle } from "./chart-lifecycle.ts";
import { imageStore } from "./image-store.ts";
import { loadServerImage } from "./load-server-image.ts";

const base = debianWithNode();
const kubectl = fetchKubectl("35", "2.2.2");

describeWith("missing" in base ? base : kubectl)("the Helm chart", { timeout: 1_200_000 }, () => {
  const store = imageStore(join(available(base).directory, "root.tar"));
  const cluster = sparkCluster();

  test("installs a server through which files are staged, keeps them in an upgrade, and is removed", async () => {
    await runChartLifecycle({
      ...{ kubectl, kubeconfig: cluster.kubeconfig(), env: cluster.env() },
      // The embedded cluster has the other images, by the names that the chart derives from the server's.
      ...{ serverImage: await loadServerImage(store, cluster), images: {} },
      ...{ namespace: "staging", drivers: "jobs" },
      values: [],
    });
  });
});
