import type { TestApi } from "../test-api.ts";

/** Path of the ConfigMaps that tests write. */
export const maps = "/api/v1/namespaces/default/configmaps";

export type Method = Parameters<TestApi["call"]>[0];

export interface Received {
  readonly status: number;
  readonly message: string;
  readonly warnings: readonly string[];
}

/** Sends a body as it is. Returns the status with its message, and the warnings. */
export async function send(
  api: TestApi,
  method: Method,
  path: string,
  body: string,
  type = "application/json",
): Promise<Received> {
  const response = await api.call(method, path, { body, headers: { "content-type": type } });
  const text = await response.text();
  const warnings = response.headers["warning"]?.split(/, (?=299 - )/) ?? [];
  const { message = "" } = text.startsWith("{") ? JSON.parse(text) : {};
  return { status: response.status, message, warnings: warnings.map((warning) => warning.slice('299 - "'.length, -1)) };
}
/** JSON of the ConfigMap `c` with further fields. */
export const configMap = (fields: string, metadata = "") =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"${metadata}}${fields}}`;
