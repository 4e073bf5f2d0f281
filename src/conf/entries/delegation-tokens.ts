import { entry, type PrefixEntry } from "../entry.ts";
import { boolean, list } from "../kinds.ts";

export const tokenFileSystems = entry(list, {
  key: "spark.kerberos.access.hadoopFileSystems",
  doc: "Further HDFS for which the driver gets delegation tokens besides the default file system: `hdfs://nn2:8020,webhdfs://nn3:9870`.",
  since: "3.0.0",
  default: "",
  alternatives: ["spark.yarn.access.hadoopFileSystems", "spark.yarn.access.namenodes"],
});

export const unrenewedFileSystems = entry(list, {
  key: "spark.yarn.kerberos.renewal.excludeHadoopFileSystems",
  doc: "Hosts or nameservices whose delegation tokens YARN cannot renew.",
  since: "3.2.0",
  default: "",
});

/** Members: `{hadoopfs,hive,hbase,kafka}.enabled`. */
export const tokenServices: PrefixEntry = {
  prefix: "spark.security.credentials.",
  doc: "`NAME.enabled`: whether the driver needs delegation tokens of the service NAME: `hadoopfs`, `hive`, `hbase`, `kafka`.",
  since: "2.3.0",
};

/** Returns the switch of a service. */
export function tokenServiceEnabled(service: string) {
  return entry(boolean, {
    key: `${tokenServices.prefix}${service}.enabled`,
    doc: `Whether the driver needs delegation tokens of ${service}.`,
    since: "2.3.0",
    default: "true",
    alternatives: [
      `spark.yarn.security.credentials.${service}.enabled`,
      `spark.yarn.security.tokens.${service}.enabled`,
    ],
  });
}

/** Members: `NAME.auth.bootstrap.servers` and others of the Kafka cluster NAME. */
export const kafkaClusters: PrefixEntry = {
  prefix: "spark.kafka.clusters.",
  doc: "Kafka clusters that require delegation tokens.",
  since: "3.0.0",
};
