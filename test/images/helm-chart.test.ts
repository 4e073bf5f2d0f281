import { chmodSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freePort } from "../acceptance/file-server.ts";
import { fetchKubectl } from "../peers/fetch-peer.ts";
import { available } from "../requirements.ts";
import { sparkCluster } from "../spark/spark-cluster.ts";
import { sparkOf } from "../spark-distributions.ts";
import { describeWith, requires } from "../test-with.ts";
import { debianWithNode } from "./base-image.ts";
import { runChartLifecycle } from "./chart-lifecycle.ts";
import { runChartShuffle } from "./chart-shuffle.ts";
import { imageStore } from "./image-store.ts";

const base = debianWithNode();
const kubectl = fetchKubectl("35", "2.2.2");
const lines = ["3.5", "4.3"].map((line) => ({ line, spark: sparkOf(line) }));

describeWith("missing" in base ? base : kubectl)("the Helm chart", { timeout: 1_200_000 }, () => {
  const store = imageStore(join(available(base).directory, "root.tar"));
  const cluster = sparkCluster();

  /** Builds the image of the servers and loads it into the cluster. Returns its name. */
  async function loadServerImage(): Promise<string> {
    const archive = join(store.directory, "firesteel-server.tar");
    const tag = "registry.example/firesteel-server:0.1.0";
    if (existsSync(archive)) return tag;
    const built = await store.build("firesteel-server", "--tag", tag, "--output", `docker-archive:${archive}`);
    expect(built, built.stderr).toMatchObject({ exit: 0 });
    const loaded = await cluster.firesteel("cluster", "image", "load", archive);
    expect(loaded, loaded.stderr).toMatchObject({ exit: 0 });
    return tag;
  }

  test("installs a server through which files are staged, keeps them in an upgrade, and is removed", async () => {
    await runChartLifecycle({
      ...{ kubectl, kubeconfig: cluster.kubeconfig(), env: cluster.env() },
      // The embedded cluster has the other images, by the names that the chart derives from the server's.
      ...{ serverImage: await loadServerImage(), images: {} },
      ...{ namespace: "staging", drivers: "jobs" },
      values: [],
    });
  });

  test("installs a shuffle service that serves the files of ended executors, also during an upgrade", async (context) => {
    for (const { spark } of lines) requires(spark)(context);
    const [files = "", state = ""] = ["spark-local", "shuffle-state"].map((name) => join(cluster.directory, name));
    mkdirSync(files);
    // Executors run as another user than the service, whose init container cannot change the owner here.
    chmodSync(files, 0o1777);
    await runChartShuffle({
      ...{ kubectl, kubeconfig: cluster.kubeconfig(), env: cluster.env(), master: "k8s://embedded" },
      ...{ serverImage: await loadServerImage(), namespace: "shuffle", drivers: "default" },
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
