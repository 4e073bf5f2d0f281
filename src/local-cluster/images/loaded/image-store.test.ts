import { describe, expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import { normalizeImageName } from "./archive-contents.ts";
import { imageStore } from "./image-store.ts";

const image = {
  ...{ id: "sha256:abcdef01", entrypoint: ["/run"], command: [], env: { A: "1" }, workingDirectory: "/" },
  ...{ user: "", sizeBytes: 3 },
};

function openStore() {
  const { files } = testHost({ files: { "/work/root": null, "/images": null } });
  const store = imageStore(files, "/images");
  store.add(image, "/work");
  store.setNames(image.id, normalizeImageName("app:1"));
  return { files, store };
}

describe("damaged files of the image store", () => {
  test.each(["", "{", "null", "[]", '{"id": 5}', "\0\0\0\0"])("image.json %j is a missing image", (text) => {
    const { files, store } = openStore();
    expect(store.find("app:1")).toEqual(image);
    files.write("/images/abcdef01/image.json", text);
    expect(store.find("app:1")).toBeUndefined();
    expect(store.has(image.id)).toBe(false);
    expect(store.list()).toEqual([]);
  });

  test.each(["", "{", "null", '{"app:1": 5}', "\0\0\0\0"])("index.json %j names no image", (text) => {
    const { files, store } = openStore();
    files.write("/images/index.json", text);
    expect(store.find("app:1")).toBeUndefined();
    expect(store.list()).toEqual([{ name: undefined, image }]);
    expect(store.remove("abcdef01")).toBe(true);
  });
});
