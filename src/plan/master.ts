import { failure, type Result, success } from "../errors/issue.ts";
import type { LogLine } from "./log-line.ts";

const prefix = "k8s://";

/** A Kubernetes master URL, as it stands in the settings and as the API's address. */
export interface KubernetesMaster {
  /** E.g. `k8s://https://10.0.0.1:6443`. */
  readonly master: string;
  /** E.g. `https://10.0.0.1:6443`. */
  readonly apiServer: string;
  /** What Spark's front end tells of it; it shows only warnings. */
  readonly log: readonly LogLine[];
}

/**
 * Reads `k8s://https://host:port`, `k8s://http://…` or `k8s://host:port`, which means https.
 *
 * Errors: SUBMIT_ERR_MASTER_PREFIX, SUBMIT_ERR_MASTER_SCHEME. Source: Spark Utils.checkAndGetK8sMasterUrl.
 */
export function parseKubernetesMaster(text: string): Result<KubernetesMaster> {
  if (!text.startsWith(prefix)) return failure("SUBMIT_ERR_MASTER_PREFIX", {});
  const url = text.slice(prefix.length);
  const scheme = /^(.*?):\/\//.exec(url)?.[1];
  switch (scheme?.toLowerCase()) {
    case undefined: {
      const resolved = `https://${url}`;
      const line = `No scheme specified for kubernetes master URL, so defaulting to https. Resolved URL is ${resolved}.`;
      return success({
        ...resolvedMaster(resolved),
        log: [{ level: "INFO", logger: "SparkSubmit", text: line }],
      });
    }
    case "https":
      return success({ ...resolvedMaster(url), log: [] });
    case "http": {
      const line = "Kubernetes master URL uses HTTP instead of HTTPS.";
      return success({ ...resolvedMaster(url), log: [{ level: "WARN", logger: "SparkSubmit", text: line }] });
    }
    default:
      return failure("SUBMIT_ERR_MASTER_SCHEME", { scheme: scheme ?? "", url });
  }
}

function resolvedMaster(apiServer: string) {
  return { master: `${prefix}${apiServer}`, apiServer };
}
