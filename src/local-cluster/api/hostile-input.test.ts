/** @module-tag long */

import { describe, expect, test } from "vitest";
import { type TestApi, testApi } from "../test-api.ts";
import { configMap, type Method, maps, send } from "./test-send.ts";

const json = "application/json";
const jsonPatch = "application/json-patch+json";
const mergePatch = "application/merge-patch+json";
const applyPatch = "application/apply-patch+yaml";
const strategicPatch = "application/strategic-merge-patch+json";
const nested = (levels: number, inner = "1", name = "a") =>
  `${`{"${name}":`.repeat(levels)}${inner}${"}".repeat(levels)}`;

async function apiWithMap(): Promise<TestApi> {
  const api = testApi();
  await send(api, "POST", maps, configMap(',"data":{"k":"v"}'));
  return api;
}

// Expected responses are those of Kubernetes 1.35.4.
describe("JSON that is nested deeply", () => {
  test("is accepted in unknown fields, up to 10,000 levels", async () => {
    for (const body of [
      configMap(`,"x":${nested(9_999)}`),
      configMap(`,"x":${"[".repeat(9_999)}${"]".repeat(9_999)}`),
    ]) {
      expect(await send(testApi(), "POST", maps, body)).toMatchObject({
        status: 201,
        warnings: ['unknown field \\"x\\"'],
      });
      const fault = `invalid character '${body.charAt(body.indexOf('"x":') + 4)}' exceeded max depth`;
      expect(await send(testApi(), "POST", maps, body.replace('"x":', '"x":[').replace(/\}$/, "]}"))).toMatchObject({
        status: 400,
        message:
          "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; " +
          `json parse error: ${fault} ({"apiVersion":"v1","kind":"Con ...)`,
      });
    }
  });

  test.each<[string, string, string, number, string]>([
    ["a merge patch", mergePatch, `{"x":${nested(9_998)}}`, 200, ""],
    [
      "a merge patch",
      mergePatch,
      `{"x":${nested(10_001)}}`,
      400,
      "error decoding patch: invalid character '{' exceeded max depth",
    ],
    ["a strategic merge patch", strategicPatch, `{"x":${nested(9_998)}}`, 200, ""],
    [
      "a strategic merge patch",
      strategicPatch,
      `{"x":${nested(10_001)}}`,
      400,
      "invalid character '{' exceeded max depth",
    ],
    ["a JSON patch", jsonPatch, `[{"op":"add","path":"/x","value":${nested(9_998)}}]`, 200, ""],
    [
      "a JSON patch",
      ...([jsonPatch, `[{"op":"add","path":"/x","value":${nested(9_999)}}]`, 400] as const),
      "error decoding patch: invalid character '{' exceeded max depth",
    ],
    [
      "a JSON patch whose operations add up",
      ...([jsonPatch, nestingPatch(), 422] as const),
      "the server rejected our request due to an error in our request",
    ],
  ])("is accepted in %s up to the same limit", async (_, type, body, status, message) => {
    expect(await send(await apiWithMap(), "PATCH", `${maps}/c`, body, type)).toMatchObject({ status, message });
  });

  function nestingPatch(): string {
    const first = `{"op":"add","path":"/x","value":${nested(9_000, "{}")}}`;
    return `[${first},{"op":"copy","from":"/x","path":"/x${"/a".repeat(9_000)}/a"}]`;
  }

  test("is rejected where a value has a type", async () => {
    const rejected = await send(testApi(), "POST", maps, configMap("", `,"annotations":${nested(9_000)}`));
    expect([rejected.status, rejected.message]).toEqual([400, expect.stringContaining("cannot unmarshal object")]);
    const patch = `{"data":${nested(9_000)}}`;
    expect((await send(await apiWithMap(), "PATCH", `${maps}/c`, patch, mergePatch)).status).toBe(422);
    expect((await send(await apiWithMap(), "PATCH", `${maps}/c`, patch, strategicPatch)).status).toBe(422);
  });

  test("is rejected above 500 levels where it would be stored, unlike in Kubernetes", async () => {
    const revision = (levels: number) =>
      `{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"r"},"revision":1,"data":${nested(levels)}}`;
    const path = "/apis/apps/v1/namespaces/default/controllerrevisions";
    expect((await send(testApi(), "POST", path, revision(500))).status).toBe(201);
    expect(await send(testApi(), "POST", path, revision(9_000))).toMatchObject({
      ...{ status: 400, message: expect.stringContaining("data exceeds the maximum depth of 500") },
    });
  });

  test("is read in requests whose objects are not stored", async () => {
    const api = await apiWithMap();
    const review = `{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","spec":{"x":${nested(9_000)}}}`;
    const reviewed = await send(api, "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review);
    expect(reviewed.warnings).toEqual(['unknown field \\"spec.x\\"']);
    expect(await send(api, "DELETE", `${maps}/c`, `{"x":${nested(10_001)}}`)).toMatchObject({
      ...{
        status: 400,
        message: "couldn't get version/kind; json parse error: invalid character '{' exceeded max depth",
      },
    });
    expect((await send(api, "DELETE", `${maps}/c`, `{"x":${nested(9_000)}}`)).status).toBe(200);
  });
});

describe("unknown and duplicate fields", () => {
  const unknown = (count: number, name = (index: number) => `u${index}`) =>
    configMap(`,${Array.from({ length: count }, (_, index) => `"${name(index)}":1`).join(",")}`);

  test("are reported up to a hundred", async () => {
    const { status, warnings } = await send(testApi(), "POST", maps, unknown(100_000));
    expect([status, warnings.length, warnings[99]]).toEqual([201, 100, 'unknown field \\"u99\\"']);
    const strict = await send(testApi(), "POST", `${maps}?fieldValidation=Strict`, unknown(100_000));
    expect([strict.status, strict.message.length]).toEqual([400, 2171]);
  });

  test.each([
    [mergePatch, `{${Array.from({ length: 20_000 }, (_, index) => `"u${index}":1`).join(",")}}`],
    [strategicPatch, `{${Array.from({ length: 20_000 }, (_, index) => `"u${index}":1`).join(",")}}`],
    [
      jsonPatch,
      JSON.stringify(Array.from({ length: 9_000 }, (_, index) => ({ op: "add", path: `/u${index}`, value: 1 }))),
    ],
    [
      jsonPatch,
      JSON.stringify(
        Array.from({ length: 500 }, (_, index) => ({ op: "test", path: "/data/k", value: "v", [`x${index}`]: 1 })),
      ),
    ],
  ])("are reported up to a hundred in a patch of type %s", async (type, body) => {
    const { status, warnings } = await send(await apiWithMap(), "PATCH", `${maps}/c`, body, type);
    expect([status, warnings.length]).toEqual([200, 100]);
    const path = `${maps}/c?fieldValidation=Strict`;
    const strict = await send(await apiWithMap(), "PATCH", path, body, type);
    expect([strict.status, strict.message.split("unknown field").length]).toEqual([422, 101]);
  });

  test("are truncated in warnings", async () => {
    const long = (index: number) => `u${index}${"x".repeat(3_000)}`;
    const { warnings } = await send(testApi(), "POST", maps, unknown(3, long));
    expect(warnings.map((warning) => warning.replaceAll("\\", "").length)).toEqual([256, 256, 256]);
  });

  test("are reported in the order of the text, without those in unknown fields", async () => {
    const body = configMap(',"u":{"a":1,"a":2},"data":{"a":"1","a":"2"},"immutable":true,"immutable":true');
    expect((await send(testApi(), "POST", maps, body)).warnings).toEqual([
      'unknown field \\"u\\"',
      'duplicate field \\"data.a\\"',
      'duplicate field \\"immutable\\"',
    ]);
  });
});

describe("a JSON patch", () => {
  const operations = (count: number) =>
    JSON.stringify(Array.from({ length: count }, () => ({ op: "test", path: "/data/k", value: "v" })));

  test("has at most 10,000 operations", async () => {
    const api = await apiWithMap();
    expect((await send(api, "PATCH", `${maps}/c`, operations(10_000), jsonPatch)).status).toBe(200);
    expect(await send(api, "PATCH", `${maps}/c`, operations(10_001), jsonPatch)).toMatchObject({
      status: 413,
      message: "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
    });
  });

  test("copies at most 3 MiB", async () => {
    const copies = Array.from({ length: 60 }, (_, index) => ({ op: "copy", from: "/data", path: `/data/x${index}` }));
    expect(await send(await apiWithMap(), "PATCH", `${maps}/c`, JSON.stringify(copies), jsonPatch)).toMatchObject({
      ...{ status: 422, message: "the server rejected our request due to an error in our request" },
    });
  });
});

describe("names of JavaScript's own objects", () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];
  const data = names.map((name) => `"${name}":"x"`).join(",");

  test.each<[string, Method, string, string, string]>([
    ["in JSON", "PUT", "", configMap(`,"data":{${data}}`), json],
    ["in YAML", "PUT", "", `kind: ConfigMap\nmetadata: {name: c}\ndata: {${data}}`, "application/yaml"],
    ["in a merge patch", "PATCH", "", `{"data":{${data},"k":null}}`, mergePatch],
    ["in a strategic merge patch", "PATCH", "", `{"data":{${data},"k":null}}`, strategicPatch],
    [
      "in a JSON patch",
      ...(["PATCH", "", JSON.stringify(operations("/data/", { op: "remove", path: "/data/k" })), jsonPatch] as const),
    ],
    [
      "in a configuration",
      ...(["PATCH", "?fieldManager=m&force=true", configMap(`,"data":{${data},"k":"v"}`), applyPatch] as const),
    ],
  ])("are keys of data like all others, %s", async (_, method, query, body, type) => {
    const api = await apiWithMap();
    const { status, message } = await send(api, method, `${maps}/c${query}`, body, type);
    expect([status, message]).toEqual([200, ""]);
    const { k: _k, ...stored } = JSON.parse(await (await api.call("GET", `${maps}/c`)).text()).data;
    expect(Object.keys(stored).sort()).toEqual([...names].sort());
  });

  function operations(prefix: string, last: object): readonly object[] {
    return [...names.map((name) => ({ op: "add", path: `${prefix}${name}`, value: "x" })), last];
  }

  test("are unknown fields, not those of a prototype", async () => {
    const body = configMap(',"__proto__":{"data":{"a":"b"}},"constructor":{"prototype":{"a":1}}');
    const { status, warnings } = await send(testApi(), "POST", maps, body);
    expect([status, warnings]).toEqual([201, ['unknown field \\"__proto__\\"', 'unknown field \\"constructor\\"']]);
    expect(Object.hasOwn(Object.prototype, "a")).toBe(false);
  });

  test("select nothing", async () => {
    const api = await apiWithMap();
    for (const selector of ["labelSelector=constructor", "labelSelector=toString%21%3Dx,valueOf"]) {
      expect(JSON.parse(await (await api.call("GET", `${maps}?${selector}`)).text()).items).toEqual([]);
    }
    expect((await send(api, "GET", `${maps}?fieldSelector=constructor%3Da`, "")).status).toBe(400);
  });

  test("are not media types", async () => {
    const api = await apiWithMap();
    for (const name of names) {
      expect((await send(api, "PATCH", `${maps}/c`, "{}", name)).status).toBe(415);
      expect((await send(api, "POST", maps, configMap(""), name)).status).toBe(415);
      for (const accept of [name, `application/json;as=${name};g=meta.k8s.io;v=v1`]) {
        expect((await api.call("GET", maps, { headers: { accept } })).status).toBe(406);
      }
    }
  });

  test("are not types of secrets or parts of paths", async () => {
    for (const type of names) {
      const body = { metadata: { name: type.toLowerCase().replaceAll("_", "") }, type };
      expect((await send(testApi(), "POST", maps.replace("configmaps", "secrets"), JSON.stringify(body))).status).toBe(
        201,
      );
      expect((await send(testApi(), "GET", `${maps}/c/${type}`, "")).status).toBe(404);
      expect((await send(testApi(), "GET", `/apis/${type}/v1/${type}`, "")).status).toBe(404);
    }
  });
});

describe("headers and parameters", () => {
  test("with an invalid escape sequence in the key of an impersonated user are read as they are", async () => {
    const headers = { "impersonate-user": "u", "impersonate-extra-%zz": "x" };
    expect((await testApi().call("GET", maps, { headers })).status).toBe(403);
  });

  test("may be long numbers", async () => {
    const api = testApi();
    const digits = "9".repeat(500_000);
    const messages = ["timeout", "limit", "timeoutSeconds"].map(async (name) =>
      (await send(api, "GET", `${maps}?${name}=${digits}`, "")).message.slice(0, 60),
    );
    expect(await Promise.all(messages)).toEqual(
      [
        "invalid timeout specified in the request URL - time: invalid ",
        expect.stringContaining("strconv.ParseInt: parsing"),
        expect.stringContaining("strconv.ParseInt: parsing"),
      ].map((expected) => (typeof expected === "string" ? expected.slice(0, 60) : expected)),
    );
  });
});
