import type { HadoopConf } from "../values/hadoop-conf.ts";

/** Whether the cluster requires Kerberos. Source: Hadoop UserGroupInformation.isSecurityEnabled. */
export function isSecure(conf: HadoopConf): boolean {
  return conf.get("hadoop.security.authentication")?.toLowerCase() === "kerberos";
}
