import { executorHadoopConfigMapName } from "../conf/entries/executor.ts";
import type { ExecutorConf } from "../plan/executor-conf.ts";
import type { FeatureStep } from "./step.ts";

const volumeName = "hadoop-properties";
const directory = "/opt/hadoop/conf";

/** Hadoop configuration that the submission stored in a ConfigMap. */
export const hadoopConfExecutor: FeatureStep<ExecutorConf> = {
  name: "HadoopConfExecutorFeatureStep",
  contribute: ({ conf }) => {
    const name = conf.get(executorHadoopConfigMapName);
    if (name === undefined) return {};
    return {
      volumes: [{ name: volumeName, configMap: { name } }],
      mounts: [{ name: volumeName, mountPath: directory }],
      env: [{ name: "HADOOP_CONF_DIR", value: directory }],
    };
  },
};
