/** Settings that `spark.firesteel.shuffle` adds to a submission, which only driver and executors read. */
import type { ShuffleProfile } from "./shuffle-profile.ts";

/** Default of `shuffleDirectories`, which is also that of the Helm chart. */
export const defaultShuffleDirectory = "/var/lib/spark-local";

/** Executor template of a submission that has none, but whose executors must be on the network of their nodes. */
export const noTemplate = "data:,";

/** Keys that the profiles read besides those that they set. */
export const shuffleKeys = {
  manager: "spark.shuffle.manager",
  io: "spark.shuffle.sort.io.plugin.class",
  authenticate: "spark.authenticate",
  secretFile: "spark.authenticate.secret.file",
  secretFileOfDriver: "spark.authenticate.secret.driver.file",
  secretFileOfExecutor: "spark.authenticate.secret.executor.file",
  executorJavaOptions: "spark.executorEnv.JDK_JAVA_OPTIONS",
  tracking: "spark.dynamicAllocation.shuffleTracking.enabled",
  fallbackStorage: "spark.storage.decommission.fallbackStorage.path",
  fallbackCleanUp: "spark.storage.decommission.fallbackStorage.cleanUp",
  executorDirectories: "spark.executorEnv.SPARK_EXECUTOR_DIRS",
  executorTemplate: "spark.kubernetes.executor.podTemplateFile",
  executorVolumes: "spark.kubernetes.executor.volumes.",
} as const;

/**
 * Java option of executors with which they read a file with a secret. They connect to the driver before they know its settings, and
 * Spark reads such a file only with a master of Kubernetes. Spark's own settings of Java options reject options that begin with
 * `spark.`. Source: Spark SecurityManager and SparkConf, 3.5.9 and 4.3.0.
 */
export const masterOfExecutors = "-Dspark.master=k8s://";

/** A setting that a profile adds. */
export interface ProfileSetting {
  readonly key: string;
  readonly value: string;
  /** `required`: another value contradicts the profile. `recommended`: a value of the user's takes precedence. */
  readonly kind: "required" | "recommended";
}

const required = (key: string, value: string): ProfileSetting => ({ key, value, kind: "required" });
const recommended = (key: string, value: string): ProfileSetting => ({ key, value, kind: "recommended" });

const noService = required("spark.shuffle.service.enabled", "false");
const noTracking = recommended(shuffleKeys.tracking, "false");

/** Settings of every profile. Executors with cached blocks are otherwise never removed. */
export const commonProfileSettings: readonly ProfileSetting[] = [
  recommended("spark.dynamicAllocation.enabled", "true"),
  recommended("spark.dynamicAllocation.cachedExecutorIdleTimeout", "20min"),
];

/** Settings of each profile besides the common ones. */
export const profileSettings: Readonly<Record<ShuffleProfile, readonly ProfileSetting[]>> = {
  tracking: [
    required(shuffleKeys.tracking, "true"),
    recommended("spark.dynamicAllocation.shuffleTracking.timeout", "1h"),
    noService,
  ],
  decommission: [
    required("spark.decommission.enabled", "true"),
    required("spark.storage.decommission.enabled", "true"),
    required("spark.storage.decommission.shuffleBlocks.enabled", "true"),
    recommended("spark.storage.decommission.rddBlocks.enabled", "true"),
    recommended("spark.storage.decommission.shuffleBlocks.maxThreads", "8"),
    recommended("spark.executor.decommission.forceKillTimeout", "10min"),
    noTracking,
    noService,
  ],
  service: [
    required("spark.shuffle.service.enabled", "true"),
    required("spark.storage.decommission.enabled", "false"),
    // With a fixed port, only one executor fits on a node: they use the network of the node.
    required("spark.blockManager.port", "0"),
    // Otherwise the driver's container has the port 0, which the API rejects.
    recommended("spark.driver.blockManager.port", "7079"),
    recommended("spark.shuffle.service.removeShuffle", "true"),
    // A restart of the service takes up to 30 s.
    recommended("spark.shuffle.io.maxRetries", "6"),
    recommended("spark.shuffle.registration.maxAttempts", "6"),
    // To read files of its own node, an executor first asks the service where they are, and fails if the service restarts just then.
    recommended("spark.shuffle.readHostLocalDisk", "false"),
    recommended("spark.files.fetchFailure.unRegisterOutputOnHost", "true"),
    recommended(shuffleKeys.executorTemplate, noTemplate),
  ],
  plugin: [noTracking, noService],
};

/** A remote shuffle service whose client is a shuffle manager. */
export interface ShufflePlugin {
  readonly name: string;
  readonly manager: string;
  /** Without it, Spark rejects dynamic allocation. */
  readonly io: ProfileSetting;
  /** Setting with the addresses of the servers. */
  readonly addressKey: string;
}

/** Remote shuffle services that need more than their shuffle manager. Source: the deployment guides of both projects. */
export const shufflePlugins: readonly ShufflePlugin[] = [
  {
    ...{ name: "Apache Celeborn", manager: "org.apache.spark.shuffle.celeborn.SparkShuffleManager" },
    io: recommended(shuffleKeys.io, "org.apache.spark.shuffle.celeborn.CelebornShuffleDataIO"),
    addressKey: "spark.celeborn.master.endpoints",
  },
  {
    ...{ name: "Apache Uniffle", manager: "org.apache.spark.shuffle.RssShuffleManager" },
    io: recommended(shuffleKeys.io, "org.apache.spark.shuffle.RssShuffleDataIo"),
    addressKey: "spark.rss.coordinator.quorum",
  },
];

/** Executor volumes with this prefix of their name are local directories. Source: Spark LocalDirsFeatureStep. */
export const localDirVolumePrefix = "spark-local-dir-";

/** Builds the settings of a volume for a directory of the node, at the same path in executors. */
export function localDirVolume(path: string, index: number): readonly ProfileSetting[] {
  const volume = `${shuffleKeys.executorVolumes}hostPath.${localDirVolumePrefix}${index + 1}.`;
  return [
    required(`${volume}mount.path`, path),
    required(`${volume}options.path`, path),
    // An executor waits until the service has created the directory. Spark 3.5 has no types of directories.
    recommended(`${volume}options.type`, "Directory"),
  ];
}
