import { expect } from "vitest";
import { type TestApi, testApi } from "../test-api.ts";

/** Path of the namespace `default`. */
export const namespacePath = "/api/v1/namespaces/default";

export const configMapsPath = `${namespacePath}/configmaps`;

export const mergePatch = "application/merge-patch+json";

export const configMap = (metadata: object = {}, more: object = {}) => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", ...metadata } },
  ...more,
});

export const pod = (spec: object = {}) => ({
  ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "p" } },
  spec: { containers: [{ name: "a", image: "x:1" }], serviceAccountName: "spark", ...spec },
});

type Method = Parameters<TestApi["call"]>[0];

interface TestRequest {
  readonly path: string;
  readonly accept?: string;
  readonly body?: unknown;
  readonly type?: string;
}

/** Sends a request as the administrator, and reads the response. */
export async function sendRequest(api: TestApi, method: Method, { path, body, type, accept }: TestRequest) {
  const headers = {
    ...(type === undefined ? {} : { "content-type": type }),
    ...(accept === undefined ? {} : { accept }),
  };
  const response = await api.call(method, path, { ...(body === undefined ? {} : { body }), headers });
  const text = await response.text();
  const isJson = text.startsWith("{");
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : { message: text },
  };
}

/** Request that creates a ConfigMap. */
export const newConfigMap = { path: configMapsPath, body: configMap({}, { data: { k: "v" } }) };

/** Request that creates a pod. */
export const newPod = { path: `${namespacePath}/pods`, body: pod() };

/** Name of a rejected request, objects that exist before, the request, and the status and a part of the message. */
export type Rejection = readonly [string, readonly TestRequest[], Method, TestRequest, number, string];

/** Expects that a request is rejected. */
export async function expectRejection(...[, setup, method, request, status, message]: Rejection) {
  const api = testApi();
  for (const { path, body } of setup) expect((await sendRequest(api, "POST", { path, body })).status).toBe(201);
  const response = await sendRequest(api, method, request);
  expect({ status: response.status, message: response.body.message }).toEqual({
    ...{ status, message: expect.stringContaining(message) },
  });
}
