import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import { describe, expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import { imageStore } from "./image-store.ts";
import { loadImages } from "./load-image.ts";
import { listImages, loadedImagesDirectory, removeImage } from "./manage-images.ts";

type Entry = Parameters<typeof packTar>[0][number];

const file = (name: string, body: string | Uint8Array, mode = 0o644): Entry => ({
  header: { name, size: Buffer.byteLength(body), mode, type: "file" },
  body,
});
const directory = (name: string, mode = 0o755): Entry => ({
  header: { name, size: 0, mode, type: "directory" },
});
const link = (name: string, linkname: string, type: "symlink" | "link" = "symlink"): Entry => ({
  header: { name, size: 0, linkname, type },
});
const zstdLayer =
  "KLUv/QRoFQIAokIJEMCnA7TSQmn8+6ddsHp9NQUn4iijTHOVEeikb9270N5BN7tOAgsgsJkH94Wv5ymMAWD/n2mPDuCAQQPsp9AGRtyA0Q==";
const digest = (content: Uint8Array | string) => createHash("sha256").update(content).digest("hex");

const configuration = {
  ...{ os: "linux", architecture: "amd64" },
  config: {
    ...{ Entrypoint: ["/run.sh"], Cmd: ["a"], Env: ["A=b=c", "SPARK_HOME=/opt/spark"], WorkingDir: "/w" },
    User: "spark:root",
  },
};

/** Builds an archive in the format of `docker save`. */
async function saved(layers: readonly Uint8Array[], options: { tags?: string[] | null; config?: object } = {}) {
  const config = JSON.stringify(options.config ?? configuration);
  const { tags = ["app:1"] } = options;
  const manifest = [
    {
      Config: "config.json",
      RepoTags: tags,
      Layers: layers.map((_, index) => `${index}/layer.tar`),
    },
  ];
  return await packTar([
    file("config.json", config),
    ...layers.map((layer, index) => file(`${index}/layer.tar`, layer)),
    file("manifest.json", JSON.stringify(manifest)),
  ]);
}

/** Builds an OCI layout with an index of two platforms. */
async function layout(layer: Uint8Array, options: { annotations?: object; platforms?: string[] } = {}) {
  const { annotations = { "org.opencontainers.image.ref.name": "quay.io/team/app:2" } } = options;
  const blobs: Entry[] = [];
  const blob = (content: Uint8Array | string) => {
    blobs.push(file(`blobs/sha256/${digest(content)}`, content));
    return { digest: `sha256:${digest(content)}`, size: content.length };
  };
  const layers = [blob(layer)];
  const manifests = (options.platforms ?? ["arm64", "amd64"]).map((architecture) => {
    const config = blob(JSON.stringify({ ...configuration, architecture }));
    return { ...blob(JSON.stringify({ config, layers })), platform: { os: "linux", architecture } };
  });
  const inner = blob(JSON.stringify({ manifests }));
  const index = { schemaVersion: 2, manifests: [{ ...inner, annotations }] };
  return await packTar([file("oci-layout", "{}"), ...blobs, file("index.json", JSON.stringify(index))]);
}

async function load(archive: Uint8Array, name?: string) {
  const host = testHost({ files: { "/outside/secret": "untouched" } });
  host.files.write("/a.tar", archive);
  const images = await loadImages(host, { file: "/a.tar", name });
  const store = imageStore(host.files, loadedImagesDirectory(host));
  const root = images[0] === undefined ? "" : store.rootOf(images[0].image);
  return { host, images, root, store };
}

describe("loading a docker save archive", () => {
  test("applies layers in order: whiteouts remove entries and opaque markers empty directories", async () => {
    const { host, root, images } = await load(
      await saved([
        await packTar([
          directory("etc"),
          file("etc/old", "1"),
          file("etc/kept", "1"),
          directory("data/"),
          file("data/x", "1"),
          directory("ro", 0o555),
          file("ro/f", "1"),
        ]),
        gzipSync(
          await packTar([
            file("etc/.wh.old", ""),
            file("data/y", "2"),
            file("data/.wh..wh..opq", ""),
            file("./bin/tool", "#!", 0o4755),
            link("bin/alias", "tool"),
            link("bin/twin", "bin/tool", "link"),
          ]),
        ),
      ]),
    );
    const { files } = host;
    expect(files.list(`${root}/etc`)).toEqual(["kept"]);
    expect(files.list(`${root}/data`)).toEqual(["y"]);
    expect(files.readText(`${root}/ro/f`)).toBe("1");
    expect(files.readLink(`${root}/bin/alias`)).toBe("tool");
    for (const name of ["tool", "twin"]) expect(files.info(`${root}/bin/${name}`)?.mode).toBe(0o755);
    expect(images[0]).toMatchObject({
      name: "docker.io/library/app:1",
      image: {
        id: `sha256:${digest(JSON.stringify(configuration))}`,
        ...{ entrypoint: ["/run.sh"], command: ["a"], workingDirectory: "/w", user: "spark:root" },
        env: { A: "b=c", SPARK_HOME: "/opt/spark" },
      },
    });
  });

  test("writes nothing outside the image for names and links that lead out of it", async () => {
    const { host, root } = await load(
      await saved([
        await packTar([link("out", "/outside"), link("up", "../../../outside"), file("../../escaped", "x")]),
        await packTar([file("out/secret", "changed"), file("up/secret", "changed"), file("out/.wh.secret", "")]),
      ]),
    );
    expect(host.files.readText("/outside/secret")).toBe("untouched");
    expect(host.files.readText(`${root}/escaped`)).toBe("x");
    expect(host.files.list(`${root}/outside`)).toEqual(["secret"]);
  });

  test("requires a name for an image without one and applies it", async () => {
    const archive = await saved([], { tags: null });
    await expect(load(archive)).rejects.toMatchObject({
      code: "SUBMIT_ERR_IMAGE_ARCHIVE",
      message: expect.stringContaining("--tag NAME"),
    });
    expect((await load(archive, "mine")).images[0]?.name).toBe("docker.io/library/mine:latest");
  });
});

describe("loading an OCI layout", () => {
  test("selects the image for this machine's platform", async () => {
    const { host, root, images } = await load(await layout(gzipSync(await packTar([file("f", "x")]))));
    expect(images.map(({ name }) => name)).toEqual(["quay.io/team/app:2"]);
    expect(host.files.readText(`${root}/f`)).toBe("x");
  });

  test("reads zstd-compressed layers", async () => {
    // `printf hello > f && tar -cf - f | zstd`
    const zstd = Buffer.from(zstdLayer, "base64");
    const { host, root } = await load(await layout(zstd));
    expect(host.files.readText(`${root}/f`)).toBe("hello");
  });

  test("rejects an image for another platform and a damaged archive", async () => {
    const layer = await packTar([file("f", "x")]);
    await expect(load(await layout(layer, { platforms: ["arm64"] }))).rejects.toThrow(
      "it has no image for linux/amd64",
    );
    const archive = Buffer.from(await layout(layer));
    archive.write("y", archive.indexOf("x\0\0", archive.indexOf(digest(layer)) + 512));
    await expect(load(archive)).rejects.toThrow(/damaged|checksum/);
    await expect(load(Buffer.from("no archive at all".repeat(100)))).rejects.toMatchObject({
      code: "SUBMIT_ERR_IMAGE_ARCHIVE",
    });
  });
});

test("removes an image with its last name and keeps an image whose name was reassigned", async () => {
  const { host, images, root, store } = await load(await saved([], { tags: ["app:1", "app:2"] }));
  expect(listImages(host)).toEqual(images);
  expect(removeImage(host, "app:1")).toBe(true);
  expect(removeImage(host, "app:1")).toBe(false);
  const config = { ...configuration, config: {} };
  host.files.write("/b.tar", await saved([], { tags: ["app:2"], config }));
  const [newer] = await loadImages(host, { file: "/b.tar" });
  expect(store.find("docker.io/library/app:2")).toEqual(newer?.image);
  expect(listImages(host).map(({ name }) => name)).toContain(undefined);
  expect(removeImage(host, images[0]?.image.id.slice(7, 19) ?? "")).toBe(true);
  expect(host.files.info(root)).toBeUndefined();
  expect(listImages(host)).toEqual([newer]);
});
