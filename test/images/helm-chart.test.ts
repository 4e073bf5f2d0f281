import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fetchKubectl } from "../peers/fetch-peer.ts";
import { available } from "../requirements.ts";
import { sparkCluster } from "../spark/spark-cluster.ts";
import { describeWith } from "../test-with.ts";
import { debianWithNode } from "./base-image.ts";
import { runChartLifecycle } from "./chart-lifecycle.ts";
import { imageStore } from "./image-store.ts";

const base = debianWithNode();
const kubectl = fetchKubectl("35", "2.2.2");

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
});
