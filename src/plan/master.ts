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
 * Errors: SUBMIT_ERR_MASTER_PREFIX, SUBMIT_ERR_MASTER_SCHEME, SUBMIT_ERR_MASTER_URL. Source: Spark Utils.checkAndGetK8sMasterUrl.
 */
export function parseKubernetesMaster(text: string): Result<KubernetesMaster> {
  if (!text.startsWith(prefix)) return failure("SUBMIT_ERR_MASTER_PREFIX", {});
  const url = text.slice(prefix.length);
  const scheme = /^(.*?):\/\//.exec(url)?.[1];
  const written = scheme === undefined ? `https://${url}` : url;
  const reason = malformation(written);
  const isHttp = scheme === undefined || /^https?$/i.test(scheme);
  if (isHttp && reason !== undefined) return failure("SUBMIT_ERR_MASTER_URL", { url: written, reason });
  switch (scheme?.toLowerCase()) {
    case undefined: {
      const line = `No scheme specified for kubernetes master URL, so defaulting to https. Resolved URL is ${written}.`;
      return success({
        ...resolvedMaster(written),
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

/** Why a text with `//` is no address, in Java's words where it has some. */
function malformation(url: string): string | undefined {
  if (URL.canParse(url)) return undefined;
  const start = url.indexOf("//") + 2;
  const authority = /^[^/?#]*/.exec(url.slice(start))?.[0] ?? "";
  if (start === url.length) return `Expected authority at index ${start}`;
  if (/^\[[^\]]*$/.test(authority)) return `Expected closing bracket for IPv6 address at index ${url.length}`;
  if (/[\s"<>\\^`{|}]/.test(authority)) return `Illegal character in authority at index ${start}`;
  return "An error has occurred. This is no address";
}
