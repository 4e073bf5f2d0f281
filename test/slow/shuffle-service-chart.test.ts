import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freePort } from "../acceptance/file-server.ts";
import { debianWithNode } from "../images/base-image.ts";
import { runChartShuffle } from "../images/chart-shuffle.ts";
import { imageStore } from "../images/image-store.ts";
import { loadServerImage } from "../images/load-server-image.ts";
import { fetchKubectl } from "../peers/fetch-peer.ts";
import { available } from "../requirements.ts";
import { sparkCluster } from "../spark/spark-cluster.ts";
import { sparkOf } from "../spark-distributions.ts";
import { describeWith, requires } from "../test-with.ts";

const base = debianWithNode();
const kubectl = fetchKubectl("35", "2.2.2");
const lines = ["3.5", "4.3"].map((line) => ({ line, spark: sparkOf(line) }));

describeWith("missing" in base ? base : kubectl)("the Helm chart", { timeout: 1_200_000 }, () => {
  const store = imageStore(join(available(base).directory, "root.tar"));
  const cluster = sparkCluster();

  test("installs a shuffle service that serves the files of ended executors, also during an upgrade", async (context) => {
    for (const { spark } of lines) requires(spark)(context);
    const [files = "", state = ""] = ["spark-local", "shuffle-state"].map((name) => join(cluster.directory, name));
    mkdirSync(files);
    // Executors run as another user than the service, whose init container cannot change the owner here.
    chmodSync(files, 0o1777);
    await runChartShuffle({
      ...{ kubectl, kubeconfig: cluster.kubeconfig(), env: cluster.env(), master: "k8s://embedded" },
      ...{ serverImage: await loadServerImage(store, cluster), namespace: "shuffle", drivers: "default" },
      ...{ directories: { files, state }, ports: { service: await freePort(), metrics: await freePort() } },
      // A loaded image has one user here, which is root outside of it.
      values: ["shuffleService.user=0"],
      distributions: lines.map(({ line, spark }) => ({ line, image: `apache/spark:${available(spark).version}` })),
    });
    // The service cannot remove the directories that hold those of another user.
    const remaining = readdirSync(files, { recursive: true, withFileTypes: true });
    expect(remaining.filter((entry) => !entry.isDirectory())).toEqual([]);
  });
});
