import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { createMemoryStore } from "../api/memory-store.ts";
import { imageStore } from "../images/loaded/image-store.ts";
import { localImages } from "../images/local-images.ts";
import { prepareIsolation } from "./isolation.ts";
import { startNode } from "./node.ts";
import { imageStatus } from "./node-images.ts";

const id = `sha256:${"a".repeat(64)}`;
const image = { id, entrypoint: [], command: [], env: {}, workingDirectory: "/", user: "", sizeBytes: 7 };

test("a node reports the images that need no fetch, and those that are loaded and removed later", async () => {
  const host = testHost({ files: { "/draft/root": null, "/loaded": null } });
  const store = createMemoryStore(host);
  const node = await startNode({
    ...{ host, store, directory: "/cluster" },
    isolation: prepareIsolation({ host, directory: "/cluster", sandbox: "fake" }),
    api: { address: "127.90.0.1", port: 6443 },
    images: localImages({
      ...{ host, directory: "/cluster/images", javaHome: undefined, sparkEnv: {}, loadedImages: "/loaded" },
      sparkHomes: [{ version: "4.3.0", home: "/spark" }],
    }),
    issueToken: () => "token",
  });
  const names = () => {
    const status: { readonly images?: readonly { readonly names: readonly string[] }[] } = JSON.parse(
      JSON.stringify(store.get("nodes", undefined, "local")?.["status"]),
    );
    return (status.images ?? []).map((one) => one.names);
  };
  const spark = ["docker.io/apache/spark:4.3.0", "docker.io/library/spark:4.3.0"];
  expect(names()).toEqual([spark]);
  const loaded = imageStore(host.files, "/loaded");
  loaded.add(image, "/draft");
  loaded.setNames(id, ["docker.io/library/app:1", "r.io/app:1"]);
  await host.advance(2000);
  expect(names()).toEqual([["docker.io/library/app:1", "r.io/app:1"], spark]);
  loaded.remove("app:1");
  loaded.remove("r.io/app:1");
  await host.advance(2000);
  expect(names()).toEqual([spark]);
  await node.stop();
});

test("the status has the 50 largest images, the largest first", () => {
  const images = Array.from({ length: 60 }, (_, size) => ({ names: [`a:${size}`], sizeBytes: size }));
  const { images: listed = [] } = imageStatus(images);
  expect([listed.length, listed[0], listed.at(-1)]).toEqual([50, images[59], images[10]]);
  expect(imageStatus([])).toEqual({});
});
