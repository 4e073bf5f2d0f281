import type { Behaviors } from "../conf/behaviors.ts";
import { failure, type Result, success } from "../errors/issue.ts";
import { digits, isMadeOf, letters } from "../values/characters.ts";
import type { LogLine } from "./log-line.ts";
import { masterProblem } from "./master-problem.ts";
import { isNearEmbedded, nearestMaster } from "./nearest-master.ts";

const prefix = "k8s://";

/** Kubernetes master URL, in the form of the setting and as the API's address. */
export interface KubernetesMaster {
  /** E.g. `k8s://https://10.0.0.1:6443`. */
  readonly master: string;
  /** E.g. `https://10.0.0.1:6443`. */
  readonly apiServer: string;
  /** Messages of Spark's front end, which shows only warnings. */
  readonly log: readonly LogLine[];
}

/**
 * Reads `k8s://https://host:port`, `k8s://http://…` or `k8s://host:port`, which means https. Addresses at which no server can be
 * are rejected only if masters are `checked`.
 *
 * Errors: SUBMIT_ERR_MASTER_PREFIX, SUBMIT_ERR_MASTER_SCHEME, SUBMIT_ERR_MASTER_URL, SUBMIT_ERR_MASTER_MISSPELLED. Source: Spark Utils.checkAndGetK8sMasterUrl.
 */
export function parseKubernetesMaster(
  text: string,
  { masterAddress }: Pick<Behaviors, "masterAddress">,
): Result<KubernetesMaster> {
  if (!text.startsWith(prefix)) return failure("SUBMIT_ERR_MASTER_PREFIX", { nearest: nearestMaster(text) });
  const url = text.slice(prefix.length);
  const end = url.indexOf("://");
  const scheme = end < 0 ? undefined : url.slice(0, end);
  const written = scheme === undefined ? `https://${url}` : url;
  const isHttp = scheme === undefined || ["http", "https"].includes(scheme.toLowerCase());
  const isOther = !isHttp && /^[A-Za-z][A-Za-z0-9+.-]*$/.test(scheme);
  const problem = isOther || isPlainAddress(written) ? undefined : masterProblem(written);
  // Spark accepts addresses without a scheme, and addresses whose only problem is the host name.
  if (problem !== undefined && !(masterAddress === "spark" && (problem.isLate || scheme === undefined)))
    return failure("SUBMIT_ERR_MASTER_URL", { url: written, reason: problem.reason });
  switch (scheme?.toLowerCase()) {
    case undefined: {
      if (masterAddress === "checked" && isMisspelled(url))
        return failure("SUBMIT_ERR_MASTER_MISSPELLED", { host: url });
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

/** Whether a URL has only a plain host, port and path, so that it needs no further checks. */
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

/** Whether an address without domain, port and scheme is a misspelled `embedded`. The name of a cluster can follow. */
function isMisspelled(url: string): boolean {
  return !/^embedded(\/.|$)/.test(url) && !/[.:]/.test(url) && isNearEmbedded(url.replace(/\/.*/, ""));
}

function resolvedMaster(apiServer: string) {
  return { master: `${prefix}${apiServer}`, apiServer };
}
