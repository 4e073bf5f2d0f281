import { submitError } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import { isRunning } from "../../../host/is-running.ts";
import { httpTransport } from "../../../kube-client/http.ts";
import { readText } from "../../../kube-client/lines.ts";
import { readClusterRecord } from "../../cluster-record.ts";
import { clusterName } from "./options.ts";

/** Client of the chaos API of a running cluster, with the administrator's token. */
interface ChaosClient {
  /** Sends a request. @param path relative to that of the chaos API @returns the JSON of the response @throws SubmitError */
  readonly send: (method: "GET" | "POST" | "DELETE", path: string, content?: object) => Promise<unknown>;
}

const timeoutMs = 10_000;
const maxResponseBytes = 16 * 1024 * 1024;

/** Builds the client of the cluster of `--name`. Checks its process only: faults can make its API unavailable. */
export function chaosClient(
  host: Host,
  flags: { readonly value: (name: "--name") => string | undefined },
): ChaosClient {
  const name = clusterName(flags);
  const record = readClusterRecord(host, name);
  if (record === undefined || !isRunning(host, record.pid)) throw submitError("SUBMIT_ERR_CLUSTER_NOT_FOUND", { name });
  return {
    async send(method, path, content) {
      const { chaosPath } = await import("../../../local-cluster/index.ts");
      const { clock } = host;
      const tls = { authority: record.certificateAuthority, trustsAll: false, ignoresHostName: false };
      const { transport, close } = await httpTransport({
        ...{ server: new URL(record.url), clock, connectionTimeoutMs: timeoutMs, tls },
      });
      try {
        const response = await transport({
          ...{ method, path: `${chaosPath}${path}` },
          headers: { authorization: `Bearer ${record.token}`, "content-type": "application/json" },
          ...(content === undefined ? {} : { body: JSON.stringify(content) }),
        });
        const result: unknown = JSON.parse((await readText(response.body, maxResponseBytes)) ?? "null");
        if (response.status >= 400) throw submitError("SUBMIT_ERR_CHAOS_REJECTED", { message: messageIn(result) });
        return result;
      } finally {
        close();
      }
    },
  };
}

function messageIn(value: unknown): string {
  return typeof value === "object" && value !== null && "message" in value ? String(value.message) : "";
}
