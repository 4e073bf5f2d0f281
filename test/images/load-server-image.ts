import { join } from "node:path";
import { expect } from "vitest";
import type { sparkCluster } from "../spark/spark-cluster.ts";
import type { imageStore } from "./image-store.ts";

/** Builds the image of the servers and loads it into an embedded cluster. Returns its name. */
export async function loadServerImage(
  store: ReturnType<typeof imageStore>,
  cluster: Pick<ReturnType<typeof sparkCluster>, "firesteel">,
): Promise<string> {
  const archive = join(store.directory, "firesteel-server.tar");
  const tag = "registry.example/firesteel-server:0.1.0";
  const built = await store.build("firesteel-server", "--tag", tag, "--output", `docker-archive:${archive}`);
  expect(built, built.stderr).toMatchObject({ exit: 0 });
  const loaded = await cluster.firesteel("cluster", "image", "load", archive);
  expect(loaded, loaded.stderr).toMatchObject({ exit: 0 });
  return tag;
}
