import { hadoopProperties } from "../../../conf/entries/hadoop.ts";
import type { SparkConf } from "../../../conf/spark-conf.ts";
import { orThrow } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import type { HadoopConf } from "../../../values/hadoop-conf.ts";

/**
 * Returns a function that reads the Hadoop configuration of a submission, once: the files of HADOOP_CONF_DIR and `spark.hadoop.*`.
 *
 * The function throws SUBMIT_ERR_HADOOP_CONF.
 */
export function submissionHadoopConf(host: Host, conf: SparkConf): () => Promise<HadoopConf> {
  let known: HadoopConf | undefined;
  return async () => {
    const { hadoopDirectories, readHadoopConf } = await import("../../../hadoop/read-hadoop-conf.ts");
    const overrides = conf.withPrefix(hadoopProperties);
    known ??= orThrow(readHadoopConf(host, { directories: hadoopDirectories(host), overrides }));
    return known;
  };
}
