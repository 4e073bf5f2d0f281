import type { ExecutorConf } from "../plan/executor-conf.ts";
import { basicExecutor } from "./basic-executor.ts";
import { envSecrets } from "./env-secrets.ts";
import { executorCredentials } from "./executor-credentials.ts";
import { hadoopConfExecutor } from "./hadoop-conf-executor.ts";
import { localDirs } from "./local-dirs.ts";
import { localizeForExecutors } from "./localize-dependencies.ts";
import { mountSecrets } from "./mount-secrets.ts";
import { mountVolumes } from "./mount-volumes.ts";
import type { FeatureStep } from "./step.ts";

/** Steps of an executor, in Spark's order. */
export const executorSteps: readonly FeatureStep<ExecutorConf>[] = [
  basicExecutor,
  executorCredentials,
  mountSecrets,
  envSecrets,
  mountVolumes,
  hadoopConfExecutor,
  localDirs,
  localizeForExecutors,
];
