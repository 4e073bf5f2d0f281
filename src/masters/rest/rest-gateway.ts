import { issue, type Result, unlessIssues } from "../../errors/issue.ts";

/** The address at which a master takes submissions over REST. */
export interface RestGateway {
  /** As messages name it, e.g. `spark://10.0.0.1:6066`. */
  readonly name: string;
  /** Prefix of all paths, e.g. `http://10.0.0.1:6066/v1/submissions`. */
  readonly url: string;
}

/** The port of the gateway where nothing else is set (`spark.master.rest.port`). */
const usualRestPort = 6066;

/** The port at which a master talks with workers and drivers, and which people therefore name. */
const usualRpcPort = 7077;

/**
 * Parses the gateways of a master URL. One of the masters leads, the others are standbys.
 *
 * Shape: `spark://h1:6066,h2:6066`, `mesos://h:7077`. Errors: SUBMIT_ERR_REST_MASTER, for each invalid address.
 * Source: Spark RestSubmissionClient.
 */
export function restGateways(master: string): Result<readonly RestGateway[]> {
  const [, scheme = "", addresses = ""] = /^(spark|mesos):\/\/([\s\S]*)$/.exec(master) ?? [];
  // As Java splits, nothing comes after a last comma.
  const each = scheme === "spark" ? addresses.replace(/(?<=.),+$/, "").split(",") : [addresses];
  const gateways = each.map((address) => restGateway(scheme, address));
  const wrong = gateways.filter(({ name, url }) => !isAddress(name) || !URL.canParse(url));
  return unlessIssues(
    wrong.map(({ name }) => issue("SUBMIT_ERR_REST_MASTER", { master: name })),
    gateways,
  );
}

function isAddress(name: string): boolean {
  return /^[a-z]+:\/\/(?:\[[0-9A-Fa-f:.]+\]|[^\s/?#@:[\]\\%]+)(?::\d{1,5})?\/?$/.test(name);
}

/** Returns the probable gateway of a master whose other port was specified. */
export function likelyGateway({ name }: RestGateway): RestGateway | undefined {
  const host = new RegExp(`^spark://(.+):${usualRpcPort}/?$`).exec(name)?.[1];
  return host === undefined ? undefined : restGateway("spark", `${host}:${usualRestPort}`);
}

function restGateway(scheme: string, address: string): RestGateway {
  return { name: `${scheme}://${address}`, url: `http://${address.replace(/\/$/, "")}/v1/submissions` };
}
