import { failure, type Result, success } from "../errors/issue.ts";
import { digits, isMadeOf, letters } from "../values/characters.ts";
import type { LogLine } from "./log-line.ts";
import { masterProblem } from "./master-problem.ts";

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
 * Reads `k8s://https://host:port`, `k8s://http://…` or `k8s://host:port`, which means https. With `strict`, some addresses
 * pass at which no server can be.
 *
 * Errors: SUBMIT_ERR_MASTER_PREFIX, SUBMIT_ERR_MASTER_SCHEME, SUBMIT_ERR_MASTER_URL. Source: Spark Utils.checkAndGetK8sMasterUrl.
 */
export function parseKubernetesMaster(
  text: string,
  { strict }: { readonly strict: boolean },
): Result<KubernetesMaster> {
  if (!text.startsWith(prefix)) return failure("SUBMIT_ERR_MASTER_PREFIX", {});
  const url = text.slice(prefix.length);
  const end = url.indexOf("://");
  const scheme = end < 0 ? undefined : url.slice(0, end);
  const written = scheme === undefined ? `https://${url}` : url;
  const isHttp = scheme === undefined || ["http", "https"].includes(scheme.toLowerCase());
  const isOther = !isHttp && /^[A-Za-z][A-Za-z0-9+.-]*$/.test(scheme);
  const problem = isOther || isPlainAddress(written) ? undefined : masterProblem(written);
  // What has no scheme, and what only a server's name is wrong with, Spark takes as it is.
  if (problem !== undefined && !(strict && (problem.isLate || scheme === undefined)))
    return failure("SUBMIT_ERR_MASTER_URL", { url: written, reason: problem.reason });
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

/** Names or numbers of hosts and ports, and a path of the same characters. */
function isPlainAddress(url: string): boolean {
  const [scheme = "", ...rest] = url.split("://");
  const [authority = "", ...path] = rest.join("://").split("/");
  const [host = "", port = "0", ...more] = authority.split(":");
  return (
    ["http", "https"].includes(scheme.toLowerCase()) &&
    host !== "" &&
    port !== "" &&
    more.length === 0 &&
    isMadeOf(host + path.join(""), `${letters}${digits}_.-`) &&
    isMadeOf(port, digits) &&
    URL.canParse(url)
  );
}

function resolvedMaster(apiServer: string) {
  return { master: `${prefix}${apiServer}`, apiServer };
}
