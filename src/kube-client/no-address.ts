import { submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { type KubeClient, kubeClient } from "./client.ts";
import type { ConnectOptions } from "./connect-options.ts";

/**
 * Creates a client for an invalid address. As in Spark, each call fails.
 *
 * Source: recorded with Spark 4.3.0.
 */
export function clientOfNoAddress({ clock }: Host, { server, log, requestTimeoutMs }: ConnectOptions): KubeClient {
  const transport = () => Promise.reject(submitError("SUBMIT_ERR_KUBE_ADDRESS", { server }));
  return kubeClient({ transport, server, clock, log, requestTimeoutMs });
}
