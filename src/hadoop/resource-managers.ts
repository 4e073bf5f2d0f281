import { failure, type Result, success } from "../errors/issue.ts";
import type { HadoopConf } from "../values/hadoop-conf.ts";

const defaultPorts = { http: 8088, https: 8090 };

/**
 * Returns the addresses of a cluster's REST API, e.g. `http://rm1:8088`. One ResourceManager is active.
 *
 * Errors: SUBMIT_ERR_YARN_NO_ADDRESS. Source: Hadoop yarn-default.xml; ResourceManager HA.
 */
export function resourceManagersOf(conf: HadoopConf): Result<readonly string[]> {
  const isSecure = conf.get("yarn.http.policy") === "HTTPS_ONLY";
  const ids = conf.getBoolean("yarn.resourcemanager.ha.enabled", false)
    ? conf.getList("yarn.resourcemanager.ha.rm-ids")
    : [];
  const servers = (ids.length === 0 ? [""] : ids.map((id) => `.${id}`)).map((suffix) =>
    serverOf(conf, suffix, isSecure),
  );
  const known = servers.flatMap((server) => server ?? []);
  return known.length === 0 ? failure("SUBMIT_ERR_YARN_NO_ADDRESS", {}) : success(known);
}

function serverOf(conf: HadoopConf, suffix: string, isSecure: boolean): string | undefined {
  const kind = isSecure ? "webapp.https.address" : "webapp.address";
  const name = (member: string) => `yarn.resourcemanager.${member}${suffix}`;
  const written = conf.get(name(kind));
  const hostName = conf.get(name("hostname")) ?? conf.get(name("address"))?.replace(/:\d+$/, "");
  const [, host, port] = /^(.*?)(?::(\d+))?$/.exec(written ?? hostName ?? "") ?? [];
  const reachable = host === "0.0.0.0" || host === undefined || host === "" ? hostName : host;
  if (reachable === undefined) return undefined;
  const protocol = isSecure ? "https" : "http";
  return `${protocol}://${reachable}:${port ?? defaultPorts[protocol]}`;
}
