import { hadoopProperties } from "../conf/entries/hadoop.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { orThrow } from "../errors/submit-error.ts";
import { hadoopDirectories, readHadoopConf } from "../hadoop/read-hadoop-conf.ts";
import type { Host } from "../host/host.ts";
import type { HadoopConf } from "../values/hadoop-conf.ts";

/** Reads the Hadoop configuration of a submission: the files of HADOOP_CONF_DIR and `spark.hadoop.*`. @throws SUBMIT_ERR_HADOOP_CONF */
export function submissionHadoopConf(host: Host, conf: SparkConf): HadoopConf {
  const overrides = conf.withPrefix(hadoopProperties);
  return orThrow(readHadoopConf(host, { directories: hadoopDirectories(host), overrides }));
}
