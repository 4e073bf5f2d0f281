import { issue, type Result, unlessIssues } from "../../errors/issue.ts";

/** Address at which a master accepts submissions over REST. */
export interface RestGateway {
  /** As messages name it, e.g. `spark://10.0.0.1:6066`. */
  readonly name: string;
  /** Prefix of all paths, e.g. `http://10.0.0.1:6066/v1/submissions`. */
  readonly url: string;
}

/** Default port of the gateway (`spark.master.rest.port`). */
const defaultRestPort = 6066;

/** Default RPC port of a master, which users often specify instead of the gateway's port. */
const defaultRpcPort = 7077;

/**
 * Parses the gateways of a master URL. One of the masters leads, the others are standbys.
 *
 * Shape: `spark://h1:6066,h2:6066`, `mesos://h:7077`. Errors: SUBMIT_ERR_REST_MASTER, for each invalid address.
 * Source: Spark RestSubmissionClient.
 */
export function restGateways(master: string): Result<readonly RestGateway[]> {
  const [, scheme = "", addresses = ""] = /^(spark|mesos):\/\/([\s\S]*)$/.exec(master) ?? [];
  // Java's split omits trailing empty strings.
  const each = scheme === "spark" ? addresses.replace(/(?<=.),+$/, "").split(",") : [addresses];
  const gateways = each.map((address) => restGateway(scheme, address));
  const invalid = gateways.filter(({ name, url }) => !isAddress(name) || !URL.canParse(url));
  return unlessIssues(
    invalid.map(({ name }) => issue("SUBMIT_ERR_REST_MASTER", { master: name })),
    gateways,
  );
}

function isAddress(name: string): boolean {
  return /^[a-z]+:\/\/(?:\[[0-9A-Fa-f:.]+\]|[^\s/?#@:[\]\\%]+)(?::\d{1,5})?\/?$/.test(name);
}

/** Returns the probable gateway of a master whose other port was specified. */
export function likelyGateway({ name }: RestGateway): RestGateway | undefined {
  const host = new RegExp(`^spark://(.+):${defaultRpcPort}/?$`).exec(name)?.[1];
  return host === undefined ? undefined : restGateway("spark", `${host}:${defaultRestPort}`);
}

function restGateway(scheme: string, address: string): RestGateway {
  return { name: `${scheme}://${address}`, url: `http://${address.replace(/\/$/, "")}/v1/submissions` };
}
