import { messageOf } from "../../errors/submit-error.ts";
import type { ServerInfo } from "../../staging-client/protocol.ts";
import type { ServerScope } from "../context/scope.ts";
import type { ApiResponse } from "./call.ts";

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

/** `GET /readyz`: store, keys and cluster are usable. */
export async function serveReadiness(scope: ServerScope): Promise<ApiResponse> {
  const reasons = await notReadyReasons(scope);
  return { status: reasons.length === 0 ? 200 : 503, json: { ready: reasons.length === 0, reasons } };
}

/** `GET /metrics` */
export async function serveMetrics({ metrics }: ServerScope): Promise<ApiResponse> {
  const { type, text } = await metrics.print();
  return { status: 200, headers: { "content-type": type }, text };
}

async function notReadyReasons({ options, store, keys, health }: ServerScope): Promise<readonly string[]> {
  const reasons: string[] = [];
  if (health.isStopping) reasons.push("The server is stopping.");
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
  try {
    keys.newest();
  } catch (error) {
    reasons.push(messageOf(error));
  }
  for (const [namespace, reason] of health.unknownOwners) {
    reasons.push(`The pods of namespace ${namespace} cannot be listed: ${reason}`);
  }
  return reasons;
}
