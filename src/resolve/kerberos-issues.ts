import { kafkaClusters, tokenServiceEnabled } from "../conf/entries/delegation-tokens.ts";
import { hadoopProperties, kerberosKeytab, kerberosPrincipal } from "../conf/entries/hadoop.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { allOf, type Issue, issue, issuesOf } from "../errors/issue.ts";
import { hadoopDirectories, readHadoopConf } from "../hadoop/read-hadoop-conf.ts";
import type { Host } from "../host/host.ts";
import { incompleteLoginIssues } from "../plan/incomplete-login.ts";
import { confDirectoryPath } from "./spark-env.ts";

/** Reports a principal without a keytab, and the reverse. Source: Spark HadoopDelegationTokenManager. */
export function incompleteKeytabIssues(conf: SparkConf): readonly Issue[] {
  return incompleteLoginIssues({
    [kerberosPrincipal.key]: conf.get(kerberosPrincipal),
    [kerberosKeytab.key]: conf.get(kerberosKeytab),
  });
}

/**
 * Reports services that issue delegation tokens only through protocols of Java programs, if the configuration names them. The driver
 * gets tokens itself with a keytab.
 *
 * Errors: SUBMIT_ERR_KERBEROS_TOKENS, SUBMIT_ERR_HADOOP_CONF. Source: Spark HiveDelegationTokenProvider,
 * HBaseDelegationTokenProvider, KafkaDelegationTokenProvider.
 */
export function unavailableTokenIssues(host: Host, conf: SparkConf): readonly Issue[] {
  const sparkConf = confDirectoryPath(host);
  const directories = [...(sparkConf === undefined ? [] : [sparkConf]), ...hadoopDirectories(host)];
  const overrides = conf.withPrefix(hadoopProperties);
  const read = (file: string) => readHadoopConf(host, { directories, overrides, files: [file] });
  const sites = allOf({ hive: read("hive-site.xml"), hbase: read("hbase-site.xml") });
  if (!sites.ok) return issuesOf(sites);
  const { hive, hbase } = sites.value;
  const hiveKey = "hive.metastore.uris";
  const hbaseKey = "hbase.security.authentication";
  const kafka = [...conf.withPrefix(kafkaClusters).keys()].find((name) => name.endsWith(".auth.bootstrap.servers"));
  const found: readonly (readonly [string, string, boolean])[] = [
    ["hive", `${hiveKey}=${hive.get(hiveKey)}`, hive.get(hiveKey) !== undefined],
    ["hbase", `${hbaseKey}=kerberos`, hbase.get(hbaseKey)?.toLowerCase() === "kerberos"],
    ["kafka", `${kafkaClusters.prefix}${kafka}`, kafka !== undefined],
  ];
  return found.flatMap(([service, key, isNamed]) => {
    const entry = tokenServiceEnabled(service);
    const problems = conf.check([entry]);
    if (problems.length > 0) return problems;
    return isNamed && conf.get(entry) ? [issue("SUBMIT_ERR_KERBEROS_TOKENS", { service, key })] : [];
  });
}
