import type { TestApi } from "../test-api.ts";
import { administrator } from "./access/user.ts";
import type { Call } from "./call.ts";
import { findKind } from "./kinds/table.ts";
import { rawBody } from "./wire/body.ts";

/** Options of a call in tests. */
interface TestCallOptions {
  readonly name?: string;
  readonly query?: string;
  readonly body?: unknown;
  /** @default application/json */
  readonly type?: string;
  readonly subresource?: string;
}

/** Builds a call of the administrator on a core kind in the namespace `default`, or on a cluster-scoped kind. */
export function testCall(plural: string, options: TestCallOptions = {}): Call {
  const { name = "", query = "", body, type = "application/json", subresource } = options;
  const kind = findKind("", "v1", plural);
  if (kind === undefined) throw new RangeError(`no kind ${plural}`);
  const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
  return {
    ...{ kind, name, subresource, namespace: kind.namespaced ? "default" : undefined },
    query: new URLSearchParams(query),
    raw: rawBody(text, type),
    ...{ user: administrator, userAgent: "test/1", signal: undefined, warnings: [] },
    representation: { media: "json", view: "object", version: "v1" },
  };
}

/** Builds a ConfigMap in the namespace `default`. */
export function configMap(name: string, fields: object = {}, metadata: object = {}) {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default", ...metadata },
    ...fields,
  };
}

/** Stores ConfigMaps with these names. */
export function putConfigMaps(api: TestApi, ...names: readonly string[]): void {
  for (const name of names) api.put("configmaps", configMap(name));
}

/** Returns the code and message of the status that an action throws. */
export function statusOf(run: () => unknown): { readonly code: number; readonly message: string } | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof Error && "status" in error) {
      const status: unknown = error.status;
      if (typeof status === "object" && status !== null && "code" in status)
        return { code: Number(status.code), message: error.message };
    }
    throw error;
  }
}
