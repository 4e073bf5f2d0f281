import { expect, test } from "vitest";
import { fetchImage } from "./fetch-image.ts";
import type { RegistryImage } from "./session.ts";
import { type StubResponse, testRegistry } from "./test-registry.ts";

const image: RegistryImage = { repository: "registry.example.com/team/spark", reference: "4.3.0" };
const manifestUrl = "https://registry.example.com/v2/team/spark/manifests/4.3.0";
const credentials = { username: "me", password: "secret" };

const index = {
  manifests: [
    { platform: { os: "linux", architecture: "amd64" } },
    { platform: { os: "linux", architecture: "arm64" } },
    { platform: { os: "unknown", architecture: "unknown" } },
  ],
};

test("lists the platforms of an index", async () => {
  const { send } = testRegistry({ [manifestUrl]: { body: index } });
  expect(await fetchImage(send, image, undefined)).toEqual({
    kind: "found",
    platforms: ["linux/amd64", "linux/arm64"],
  });
});

test("reads the platform of a single image from its configuration, without credentials for the file store", async () => {
  const blob = "https://registry.example.com/v2/team/spark/blobs/sha256:1";
  const { send, requests } = testRegistry({
    [manifestUrl]: ({ headers }) =>
      headers?.["authorization"] === undefined
        ? { status: 401, headers: { "www-authenticate": "Basic realm=x" } }
        : { body: { config: { digest: "sha256:1" } } },
    [blob]: { status: 307, headers: { location: "https://files.example.com/1" } },
    "https://files.example.com/1": { body: { os: "linux", architecture: "arm64" } },
  });
  expect(await fetchImage(send, image, credentials)).toEqual({ kind: "found", platforms: ["linux/arm64"] });
  const basic = `Basic ${Buffer.from("me:secret").toString("base64")}`;
  expect(requests).toEqual([
    `${manifestUrl} -`,
    `${manifestUrl} ${basic}`,
    `${blob} ${basic}`,
    "https://files.example.com/1 -",
  ]);
});

const challenge = 'Bearer realm="https://login.example.com/token",service="r",scope="repository:team/spark:pull"';
const login = "https://login.example.com/token?service=r&scope=repository%3Ateam%2Fspark%3Apull";

test("gets a token where the registry says", async () => {
  const { send } = testRegistry({
    [manifestUrl]: ({ headers }) =>
      headers?.["authorization"] === "Bearer t"
        ? { body: index }
        : { status: 401, headers: { "www-authenticate": challenge } },
    [login]: { body: { token: "t" } },
  });
  expect(await fetchImage(send, image, undefined)).toMatchObject({ kind: "found" });
});

test("reports a login that is rejected", async () => {
  const { send } = testRegistry({
    [manifestUrl]: { status: 401, headers: { "www-authenticate": challenge } },
    [login]: { status: 401 },
  });
  expect(await fetchImage(send, image, credentials)).toEqual({ kind: "unauthorized" });
});

test("sends no password to a login without TLS", async () => {
  const { send, requests } = testRegistry({
    [manifestUrl]: { status: 401, headers: { "www-authenticate": 'Bearer realm="http://login.example.com/"' } },
  });
  expect(await fetchImage(send, image, credentials)).toEqual({
    kind: "unknown",
    reason: "registry.example.com: it asks for a login without TLS",
  });
  expect(requests).toHaveLength(1);
});

test.each<[string, StubResponse, object]>([
  ["an image that does not exist", { status: 404 }, { kind: "missing" }],
  ["a denied image", { status: 403 }, { kind: "unauthorized" }],
  [
    "a failing registry",
    { status: 503 },
    { kind: "unknown", reason: "registry.example.com responded with status 503" },
  ],
  ["a response that is not JSON", { body: "<html>" }, { kind: "unknown", reason: expect.stringContaining("JSON") }],
  ["a response without end", { body: " ".repeat(5_000_000) }, { kind: "unknown", reason: expect.any(String) }],
  ["a list of nothing known", { body: { manifests: [1, { platform: 2 }] } }, { kind: "found", platforms: [] }],
])("reports %s", async (_name, response, facts) => {
  expect(await fetchImage(testRegistry({ [manifestUrl]: response }).send, image, undefined)).toEqual(facts);
});

test("uses the address of Docker's registry, and HTTP on a loopback address", async () => {
  const docker = testRegistry({});
  await fetchImage(docker.send, { repository: "docker.io/library/spark", reference: "1" }, undefined);
  const local = testRegistry({});
  await fetchImage(local.send, { repository: "localhost:5000/spark", reference: "sha256:1" }, undefined);
  expect([...docker.requests, ...local.requests]).toEqual([
    "https://registry-1.docker.io/v2/library/spark/manifests/1 -",
    "http://localhost:5000/v2/spark/manifests/sha256:1 -",
  ]);
});
