import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { adminToken, testApi } from "../test-api.ts";
import {
  configMap,
  configMapsPath,
  expectRejection,
  mergePatch,
  namespacePath,
  newConfigMap,
  type Rejection,
  sendRequest,
} from "./test-requests.ts";

// Expected responses are those of Kubernetes 1.35.4.
test.each<Rejection>([
  [
    "an export",
    [newConfigMap],
    "GET",
    { path: `${configMapsPath}/c?export=true` },
    400,
    "the export parameter, deprecated since v1.14",
  ],
  ["a HEAD", [newConfigMap], "HEAD", { path: `${configMapsPath}/c` }, 405, "does not allow this method"],
  ["an unknown health check", [], "GET", { path: "/healthz/nothing" }, 404, "404 page not found"],
  [
    "a watch from the beginning at an exact revision",
    ...([
      [],
      "GET",
      { path: `${configMapsPath}?watch=1&sendInitialEvents=true&resourceVersionMatch=Exact` },
      422,
    ] as const),
    '[resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, resourceVersionMatch: Unsupported value: "Exact"',
  ],
  [
    "a list as one object",
    ...([
      [],
      "GET",
      { path: configMapsPath, accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" },
      406,
    ] as const),
    "you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)",
  ],
  [
    "a watch in YAML",
    ...([[], "GET", { path: `${configMapsPath}?watch=1`, accept: "application/yaml" }, 406] as const),
    "only the following media types are accepted: application/json;stream=watch",
  ],
])("%s is rejected", expectRejection);

test("a page of a revision has exactly that revision", async () => {
  const api = testApi();
  const { body: made } = await sendRequest(api, "POST", newConfigMap);
  await sendRequest(api, "PATCH", { path: `${configMapsPath}/c`, body: { data: { k: "w" } }, type: mergePatch });
  const query = `resourceVersion=${made.metadata.resourceVersion}`;
  const { body: page } = await sendRequest(api, "GET", { path: `${configMapsPath}?${query}&limit=1` });
  expect(page.items[0].data).toEqual({ k: "v" });
  const { body: list } = await sendRequest(api, "GET", { path: `${configMapsPath}?${query}` });
  expect(list.items[0].data).toEqual({ k: "w" });
});

test("a large response is compressed for clients that accept gzip", async () => {
  const api = testApi();
  await sendRequest(api, "POST", { path: configMapsPath, body: configMap({}, { data: { k: "x".repeat(200_000) } }) });
  const accept = (encoding: string) =>
    api.call("GET", `${configMapsPath}/c`, { headers: { "accept-encoding": encoding } });
  const response = await accept("gzip, deflate");
  expect(response.headers["content-encoding"]).toBe("gzip");
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  expect(JSON.parse(gunzipSync(Buffer.concat(chunks)).toString("utf8")).metadata.name).toBe("c");
  expect((await accept("gzip;q=0")).headers["content-encoding"]).toBeUndefined();
  expect((await accept("br")).headers["content-encoding"]).toBeUndefined();
});

test("of YAML, the last duplicate key counts, with a warning, and only the first document is read", async () => {
  const body = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  a: '1'\n  a: '2'\n---\nkind: Secret\n";
  const { body: made, headers } = await sendRequest(testApi(), "POST", {
    path: configMapsPath,
    body,
    type: "application/yaml",
  });
  expect(made.data).toEqual({ a: "2" });
  expect(headers["warning"]).toBe('299 - "line 6: key \\"a\\" already set in map"');
});

test("YAML with a duplicate key and another error behind it is rejected", async () => {
  const body = "kind: ConfigMap\nmetadata: {name: c, name: c}\ndata: *missing\n";
  const { status, body: failure } = await sendRequest(testApi(), "POST", {
    path: configMapsPath,
    body,
    type: "application/yaml",
  });
  expect(status).toBe(400);
  expect(failure.message).toContain('unidentified alias "missing"');
});

test("events can be selected by the field names of either version", async () => {
  const api = testApi();
  const involvedObject = { name: "p", namespace: "default" };
  await sendRequest(api, "POST", {
    path: `${namespacePath}/events`,
    body: { apiVersion: "v1", kind: "Event", metadata: { name: "e" }, involvedObject },
  });
  const path = "/apis/events.k8s.io/v1/namespaces/default/events?fieldSelector=regarding.name=p";
  expect((await sendRequest(api, "GET", { path })).body.items).toHaveLength(1);
});

test("the body of a request is read only if its caller is admitted", async () => {
  const { api } = testApi();
  const readers: string[] = [];
  const post = async (caller: string, authorization: string) => {
    const readBody = async () => {
      readers.push(caller);
      return Buffer.from(JSON.stringify(configMap()));
    };
    const headers = { "content-type": "application/json", authorization };
    return (await api({ method: "POST", path: configMapsPath, headers, readBody })).status;
  };
  expect(await post("nobody", "Bearer unknown")).toBe(401);
  expect(await post("anonymous", "")).toBe(403);
  expect(await post("administrator", `Bearer ${adminToken}`)).toBe(201);
  expect(readers).toEqual(["administrator"]);
});
