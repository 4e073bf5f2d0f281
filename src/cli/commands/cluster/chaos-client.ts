import { submitError } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import { isRunning } from "../../../host/is-running.ts";
import { httpTransport } from "../../../kube-client/http.ts";
import { readText } from "../../../kube-client/lines.ts";
import { readClusterRecord } from "../../cluster-record.ts";
import { clusterName } from "./options.ts";

/** Speaks with the chaos of a running cluster, as its owner. */
export interface ChaosClient {
  /** The answer's content. @param path below that of all chaos @throws SubmitError */
  readonly ask: (method: "GET" | "POST" | "DELETE", path: string, content?: object) => Promise<unknown>;
}

const limitMs = 10_000;

/** Of the cluster that `--name` names. It may be anything but sound: whether it runs is told by its process. */
export function chaosClient(
  host: Host,
  flags: { readonly value: (name: "--name") => string | undefined },
): ChaosClient {
  const name = clusterName(flags);
  const record = readClusterRecord(host, name);
  if (record === undefined || !isRunning(host, record.pid))
    throw submitError("SUBMIT_ERR_CLUSTER_NOT_FOUND", { name });
  return {
    async ask(method, path, content) {
      const { chaosPath } = await import("../../../local-cluster/index.ts");
      const { clock } = host;
      const tls = { authority: record.certificateAuthority, trustsAll: false, ignoresHostName: false };
      const { transport, close } = await httpTransport({
        ...{ server: new URL(record.url), clock, connectionTimeoutMs: limitMs, tls },
      });
      try {
        const answer = await transport({
          ...{ method, path: `${chaosPath}${path}` },
          headers: { authorization: `Bearer ${record.token}`, "content-type": "application/json" },
          ...(content === undefined ? {} : { body: JSON.stringify(content) }),
        });
        const told: unknown = JSON.parse(await readText(answer.body));
        if (answer.status >= 400)
          throw submitError("SUBMIT_ERR_CHAOS_REJECTED", { message: messageIn(told) });
        return told;
      } finally {
        close();
      }
    },
  };
}

function messageIn(told: unknown): string {
  return typeof told === "object" && told !== null && "message" in told ? String(told.message) : "";
}
