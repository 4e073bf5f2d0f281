import { expect, test } from "vitest";
import { fetchImageConfig } from "./fetch-image-config.ts";
import { testRegistry } from "./test-registry.ts";

const image = { repository: "registry.example.com/team/spark", reference: "4.3.0" };
const base = "https://registry.example.com/v2/team/spark/";
const options = { credentials: undefined, architecture: "arm64" };
const config = { Env: ["A=b=c", "EMPTY=", 1], Labels: { l: "v", n: 1 } };

test("reads variables and labels of the image of an architecture", async () => {
  const { send } = testRegistry({
    [`${base}manifests/4.3.0`]: {
      body: {
        manifests: [
          { digest: "sha256:1", platform: { os: "linux", architecture: "amd64" } },
          { digest: "sha256:2", platform: { os: "linux", architecture: "arm64" } },
        ],
      },
    },
    [`${base}manifests/sha256:2`]: { body: { config: { digest: "sha256:3" } } },
    [`${base}blobs/sha256:3`]: { body: { config } },
  });
  expect(await fetchImageConfig(send, image, options)).toEqual({ env: { A: "b=c", EMPTY: "" }, labels: { l: "v" } });
});

test("reads those of an image without an index", async () => {
  const { send } = testRegistry({
    [`${base}manifests/4.3.0`]: { body: { config: { digest: "sha256:3" } } },
    [`${base}blobs/sha256:3`]: { body: { config: { Env: null, Labels: null } } },
  });
  expect(await fetchImageConfig(send, image, options)).toEqual({ env: {}, labels: {} });
});

test.each([
  ["a missing image", { status: 404 }],
  ["an image that requires a login", { status: 401, headers: { "www-authenticate": "Basic realm=x" } }],
  ["an image of other architectures", { body: { manifests: [{ digest: 1, platform: 2 }] } }],
  ["a manifest without a configuration", { body: { config: { digest: 1 } } }],
])("returns nothing for %s", async (_name, response) => {
  const { send } = testRegistry({ [`${base}manifests/4.3.0`]: response });
  expect(await fetchImageConfig(send, image, options)).toBeUndefined();
});

test("rejects a failing registry and a response that is not JSON", async () => {
  for (const [response, reason] of [
    [{ status: 503 }, "registry.example.com responded with status 503"],
    [{ body: "<html>" }, /JSON/],
  ] as const) {
    const { send } = testRegistry({ [`${base}manifests/4.3.0`]: response });
    await expect(fetchImageConfig(send, image, options)).rejects.toThrow(reason);
  }
});
