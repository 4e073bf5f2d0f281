import { messageOf } from "../../errors/submit-error.ts";
import type { ServerInfo } from "../../staging-client/protocol.ts";
import type { ServerScope } from "../context/scope.ts";
import type { ApiCall, ApiResponse } from "./call.ts";

/** `GET /api/v1/info` */
export async function serveInfo({ options }: ServerScope): Promise<ApiResponse> {
  const { version, internalUrl, limits } = options;
  const { maxBlobBytes, maxBundleBytes, maxNamespaceBytes } = limits;
  const info: ServerInfo = {
    version,
    features: ["v0", "resumable-uploads", "ranges", "idempotency-keys"],
    ...(internalUrl === undefined ? {} : { internalUrl }),
    limits: {
      ...(maxBlobBytes === undefined ? {} : { maxBlobBytes }),
      ...(maxBundleBytes === undefined ? {} : { maxBundleBytes }),
      ...(maxNamespaceBytes === undefined ? {} : { maxNamespaceBytes }),
    },
  };
  return { status: 200, json: info };
}

/** `GET /healthz`: the process responds. */
export async function serveHealth(): Promise<ApiResponse> {
  return { status: 200, headers: { "content-type": "text/plain" }, text: "ok" };
}

/**
 * `GET /readyz`: store, keys and cluster are usable. As in Kubernetes, `?exclude=CHECK` omits a check: a server with a full store should
 * still get the requests of downloads.
 */
export async function serveReadiness(scope: ServerScope, { request }: ApiCall): Promise<ApiResponse> {
  const excluded = new URLSearchParams(request.url?.split("?")[1]).getAll("exclude");
  const included = Object.entries(checks).filter(([name]) => !excluded.includes(name));
  const reasons = (await Promise.all(included.map(([, check]) => check(scope)))).flat();
  return { status: reasons.length === 0 ? 200 : 503, json: { ready: reasons.length === 0, reasons } };
}

/** `GET /metrics` */
export async function serveMetrics({ metrics }: ServerScope): Promise<ApiResponse> {
  const { type, text } = await metrics.print();
  return { status: 200, headers: { "content-type": type }, text };
}

/** Checks of the server's readiness, by name. Each returns the reasons why the server is not ready. */
const checks: Readonly<Record<string, (scope: ServerScope) => Promise<readonly string[]> | readonly string[]>> = {
  running: ({ health }) => (health.isStopping ? ["The server is stopping."] : []),
  store: checkStore,
  keys({ keys }) {
    try {
      keys.newest();
      return [];
    } catch (error) {
      return [messageOf(error)];
    }
  },
  owners: ({ health }) =>
    [...health.unknownOwners].map(([name, reason]) => `The pods of namespace ${name} cannot be listed: ${reason}`),
};

async function checkStore({ options, store }: ServerScope): Promise<readonly string[]> {
  const reasons: string[] = [];
  try {
    const free = await store.freeBytes();
    const { minFreeBytes } = options.limits;
    if (free < minFreeBytes) {
      reasons.push(`The store is not writable: ${free} bytes are free, and ${minFreeBytes} must stay free.`);
    }
    await store.probe();
  } catch (error) {
    reasons.push(`The store is not writable: ${messageOf(error)}`);
  }
  return reasons;
}
