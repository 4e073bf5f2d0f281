import { expect, test } from "vitest";
import { type TestApi, testApi } from "../../test-api.ts";
import { isObject, type JsonObject } from "../json.ts";
import { mergePatch, sendRequest } from "../test-requests.ts";
import { WebhookCallError } from "../webhook-client.ts";
import { anyFields, definitionsPath, widgetDefinition } from "./test-definitions.ts";

type Objects = readonly JsonObject[];
type Respond = (review: { readonly objects: Objects; readonly apiVersion: string }) => JsonObject;

const admissionUrl = "https://127.0.0.1/admit";

/** In version v1, a widget has `spec.hostPort`, e.g. `a:80`; in version v2, it has `spec.host` and `spec.port`. */
function convert(object: JsonObject, apiVersion: string): JsonObject {
  const spec = isObject(object["spec"]) ? object["spec"] : {};
  const { hostPort = "", host, port, ...rest } = spec;
  const [first, second] = String(hostPort).split(":");
  const own = apiVersion.endsWith("/v1") ? { hostPort: `${host}:${port}` } : { host: first, port: second };
  return { ...object, apiVersion, spec: { ...rest, ...own } };
}

const converted: Respond = ({ objects, apiVersion }) => ({
  result: { status: "Success" },
  convertedObjects: objects.map((object) => convert(object, apiVersion)),
});

interface ConversionApi extends TestApi {
  /** Objects of each review. */
  readonly reviews: readonly Objects[];
  /** Objects that the admission webhook saw. */
  readonly admitted: readonly JsonObject[];
}

interface Options {
  respond?: Respond;
  /** Patch of the admission webhook, which requests version v2. @default there is none */
  readonly patch?: readonly object[];
}

const webhook = { clientConfig: { url: "https://127.0.0.1/convert" }, conversionReviewVersions: ["v1"] };
const version = (name: string, storage: boolean) => ({
  ...{ name, served: true, storage, schema: { openAPIV3Schema: anyFields }, subresources: { status: {} } },
});
const definition = (storage = "v2") =>
  widgetDefinition({
    spec: {
      conversion: { strategy: "Webhook", webhook },
      versions: [version("v1", storage === "v1"), version("v2", storage === "v2")],
    },
  });

/** Serves widgets that a webhook converts and that are stored in version v2. */
async function conversionApi(options: Options = {}): Promise<ConversionApi> {
  const reviews: Objects[] = [];
  const admitted: JsonObject[] = [];
  const api = testApi(undefined, {
    webhooks: {
      async send({ address, review }) {
        const { request } = JSON.parse(review);
        if (address.url === admissionUrl) {
          admitted.push(request.object);
          const patch = Buffer.from(JSON.stringify(options.patch)).toString("base64");
          return JSON.stringify({
            ...{ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" },
            response: { uid: request.uid, allowed: true, patch, patchType: "JSONPatch" },
          });
        }
        reviews.push(request.objects);
        const { objects, desiredAPIVersion: apiVersion } = request;
        const response = (options.respond ?? converted)({ objects, apiVersion });
        const kind = { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview" };
        return JSON.stringify({ ...kind, response: { uid: request.uid, ...response } });
      },
    },
  });
  expect((await sendRequest(api, "POST", { path: definitionsPath, body: definition() })).status).toBe(201);
  if (options.patch !== undefined) await addAdmission(api);
  await api.host.advance(1);
  return { ...api, reviews, admitted };
}

async function addAdmission(api: TestApi): Promise<void> {
  const configuration = {
    ...{ apiVersion: "admissionregistration.k8s.io/v1", kind: "MutatingWebhookConfiguration", metadata: { name: "m" } },
    webhooks: [
      {
        ...{ name: "m.example.com", clientConfig: { url: admissionUrl }, sideEffects: "None" },
        ...{ admissionReviewVersions: ["v1"], matchPolicy: "Equivalent" },
        rules: [{ operations: ["CREATE"], apiGroups: ["example.com"], apiVersions: ["v2"], resources: ["widgets"] }],
      },
    ],
  };
  const path = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
  expect((await sendRequest(api, "POST", { path, body: configuration })).status).toBe(201);
}

const pathIn = (name: string) => `/apis/example.com/${name}/namespaces/default/widgets`;
const widgetIn = (name: string, spec: object, metadata: object = {}) => ({
  ...{ apiVersion: `example.com/${name}`, kind: "Widget", metadata: { name: "w", ...metadata }, spec },
});
const first = widgetIn("v1", { hostPort: "a:80" });
const storedOf = ({ scope }: TestApi) => scope.store.get("widgets.example.com", "default", "w");

test("stores an object in the storage version, and shows it in the requested one", async () => {
  const api = await conversionApi();
  const labels = { l: "1" };
  const body = widgetIn("v1", { hostPort: "a:80" }, { labels });
  const created = await sendRequest(api, "POST", { path: pathIn("v1"), body });
  expect(created).toMatchObject({ status: 201, body: { ...body, metadata: { generation: 1, labels } } });
  expect(storedOf(api)).toMatchObject({ apiVersion: "example.com/v2", spec: { host: "a", port: "80" } });
  for (const [name, spec] of [
    ["v1", { hostPort: "a:80" }],
    ["v2", { host: "a", port: "80" }],
  ] as const) {
    const one = await sendRequest(api, "GET", { path: `${pathIn(name)}/w` });
    const { uid } = created.body.metadata;
    expect(one.body).toMatchObject({ apiVersion: `example.com/${name}`, spec, metadata: { uid, labels } });
    const list = await sendRequest(api, "GET", { path: pathIn(name) });
    expect(list.body.items).toMatchObject([{ spec }]);
  }
});

test("reads an object as the webhook converts it, also after a write in the same version", async () => {
  const lossy: Respond = ({ objects, apiVersion }) => ({
    result: { status: "Success" },
    convertedObjects: objects.map((object) => ({
      ...convert(object, apiVersion),
      ...(apiVersion.endsWith("/v1") ? { spec: {} } : {}),
    })),
  });
  const api = await conversionApi({ respond: lossy });
  const created = await sendRequest(api, "POST", { path: pathIn("v1"), body: first });
  expect(created.body.spec).toEqual(first.spec);
  expect((await sendRequest(api, "GET", { path: `${pathIn("v1")}/w` })).body.spec).toEqual({});
});

test("converts the objects of a list in one review, and each of them once", async () => {
  const api = await conversionApi();
  for (const name of ["a", "b"]) {
    const body = widgetIn("v2", { host: name, port: "1" }, { name });
    await sendRequest(api, "POST", { path: pathIn("v2"), body });
  }
  expect(api.reviews).toEqual([]);
  for (const _ of [1, 2]) {
    const { body } = await sendRequest(api, "GET", { path: pathIn("v1") });
    expect(body.items).toMatchObject([{ spec: { hostPort: "a:1" } }, { spec: { hostPort: "b:1" } }]);
  }
  expect(api.reviews).toMatchObject([[{ metadata: { name: "a" } }, { metadata: { name: "b" } }]]);
});

test("lists objects that are stored in different versions", async () => {
  const api = await conversionApi();
  await sendRequest(api, "POST", { path: pathIn("v2"), body: widgetIn("v2", { host: "a", port: "1" }, { name: "a" }) });
  const { spec } = definition("v1");
  const path = `${definitionsPath}/widgets.example.com`;
  expect((await sendRequest(api, "PATCH", { path, type: mergePatch, body: { spec } })).status).toBe(200);
  await sendRequest(api, "POST", { path: pathIn("v1"), body: widgetIn("v1", { hostPort: "b:2" }, { name: "b" }) });
  const items = async (name: string) => (await sendRequest(api, "GET", { path: pathIn(name) })).body.items;
  expect(await items("v1")).toMatchObject([{ spec: { hostPort: "a:1" } }, { spec: { hostPort: "b:2" } }]);
  expect(await items("v2")).toMatchObject([{ spec: { host: "a" } }, { spec: { host: "b" } }]);
});

test.each([
  ["a merge patch", { type: mergePatch, body: { spec: { hostPort: "b:81" } } }],
  [
    "an applied configuration",
    { type: "application/apply-patch+yaml", body: JSON.stringify(widgetIn("v1", { hostPort: "b:81" })) },
  ],
])("applies %s in the requested version", async (_, patch) => {
  const api = await conversionApi();
  await sendRequest(api, "POST", { path: pathIn("v2"), body: widgetIn("v2", { host: "a", port: "80" }) });
  const path = `${pathIn("v1")}/w?fieldManager=m&force=${patch.type.includes("apply")}`;
  const { status, body } = await sendRequest(api, "PATCH", { path: path.replace("&force=false", ""), ...patch });
  expect({ status, spec: body.spec, generation: body.metadata?.generation }).toEqual({
    ...{ status: 200, spec: { hostPort: "b:81" }, generation: 2 },
  });
  expect(storedOf(api)).toMatchObject({ apiVersion: "example.com/v2", spec: { host: "b", port: "81" } });
});

test("writes the status in the requested version", async () => {
  const api = await conversionApi();
  await sendRequest(api, "POST", { path: pathIn("v1"), body: first });
  const body = { status: { ready: true } };
  const { status } = await sendRequest(api, "PATCH", { path: `${pathIn("v1")}/w/status`, type: mergePatch, body });
  expect(status).toBe(200);
  expect(storedOf(api)).toMatchObject({ spec: { host: "a", port: "80" }, status: { ready: true } });
});

test("deletes an object, also one with finalizers", async () => {
  const api = await conversionApi();
  const body = widgetIn("v1", { hostPort: "a:80" }, { finalizers: ["example.com/f"] });
  await sendRequest(api, "POST", { path: pathIn("v1"), body });
  const path = `${pathIn("v1")}/w`;
  const marked = await sendRequest(api, "DELETE", { path });
  expect(marked.body).toMatchObject({ spec: { hostPort: "a:80" }, metadata: { deletionGracePeriodSeconds: 0 } });
  expect(storedOf(api)).toMatchObject({ apiVersion: "example.com/v2", spec: { host: "a", port: "80" } });
  await sendRequest(api, "PATCH", { path, type: mergePatch, body: { metadata: { finalizers: null } } });
  expect(storedOf(api)).toBeUndefined();
  await sendRequest(api, "POST", { path: pathIn("v1"), body: first });
  expect((await sendRequest(api, "DELETE", { path })).body).toMatchObject({ status: "Success" });
});

test("admits objects in the version that an admission webhook requests", async () => {
  const api = await conversionApi({ patch: [{ op: "replace", path: "/spec/port", value: "443" }] });
  const { body } = await sendRequest(api, "POST", { path: pathIn("v1"), body: first });
  expect(api.admitted).toMatchObject([{ apiVersion: "example.com/v2", spec: { host: "a", port: "80" } }]);
  expect(body).toMatchObject({ apiVersion: "example.com/v1", spec: { hostPort: "a:443" } });
  expect(storedOf(api)).toMatchObject({ spec: { host: "a", port: "443" } });
});

test("reports events in their order, when the webhook has converted their objects", async () => {
  const failing = { isFailing: false };
  const api = await conversionApi({
    respond: (review) =>
      failing.isFailing ? { result: { status: "Failure", message: "not ready" } } : converted(review),
  });
  await sendRequest(api, "POST", { path: pathIn("v2"), body: widgetIn("v2", { host: "a", port: "1" }) });
  const { body } = await api.call("GET", `${pathIn("v1")}?watch=true&timeoutSeconds=60`);
  failing.isFailing = true;
  const path = `${pathIn("v2")}/w`;
  await sendRequest(api, "PATCH", { path, type: mergePatch, body: { spec: { port: "2" } } });
  await sendRequest(api, "DELETE", { path });
  failing.isFailing = false;
  await api.host.advance(2000);
  await api.host.advance(60_000);
  const events: unknown[] = [];
  for await (const chunk of body) events.push(JSON.parse(Buffer.from(chunk).toString("utf8")));
  expect(events).toMatchObject([
    { type: "ADDED", object: { apiVersion: "example.com/v1", spec: { hostPort: "a:1" } } },
    { type: "MODIFIED", object: { spec: { hostPort: "a:2" } } },
    { type: "DELETED", object: { spec: { hostPort: "a:2" } } },
  ]);
});

const failure = (message: string, from = "v1") => ({
  status: 500,
  body: { message: `conversion webhook for example.com/${from}, Kind=Widget failed: ${message}`, code: 500 },
});

test.each<[string, Respond, string]>([
  ["fails", () => ({ result: { status: "Failure", message: "no way" } }), "no way"],
  ["returns no result", () => ({}), "response.result.status was '', not 'Success'"],
  [
    "returns too few objects",
    () => ({ result: { status: "Success" }, convertedObjects: [] }),
    "expected 1 converted objects, got 0",
  ],
  [
    "returns another version",
    ({ objects }) => ({ result: { status: "Success" }, convertedObjects: objects }),
    "invalid groupVersion (expected example.com/v2, received example.com/v1)",
  ],
  ["responds to another review", () => ({ uid: "x" }), "expected response.uid="],
])("rejects a write if the webhook %s", async (_, respond, message) => {
  const api = await conversionApi({ respond });
  const { status, body } = await sendRequest(api, "POST", { path: pathIn("v1"), body: first });
  expect({ status, message: body.message }).toEqual({
    ...{ status: 500, message: expect.stringContaining(failure(message).body.message) },
  });
  expect(storedOf(api)).toBeUndefined();
});

test("rejects a read if the webhook cannot be reached, without a reason, as Kubernetes does", async () => {
  const api = await conversionApi({
    respond() {
      throw new WebhookCallError("Post: connection refused");
    },
  });
  await sendRequest(api, "POST", { path: pathIn("v2"), body: widgetIn("v2", { host: "a", port: "1" }) });
  const { status, body } = await sendRequest(api, "GET", { path: pathIn("v1") });
  expect({ status, body }).toEqual({
    status: 500,
    body: {
      ...{ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code: 500 },
      message: failure("Post: connection refused", "v2").body.message,
    },
  });
  expect((await sendRequest(api, "GET", { path: `${pathIn("v2")}/w` })).status).toBe(200);
});
