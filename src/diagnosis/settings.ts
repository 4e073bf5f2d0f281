/** Keys of settings that recommendations name. */
import { archives, files, jars, jarsIvy, jarsPackages, pysparkPython, submitPyFiles } from "../conf/entries/app.ts";
import { authenticateDriver } from "../conf/entries/authenticate.ts";
import { stagingS3PodEndpoint } from "../conf/entries/bucket.ts";
import * as driver from "../conf/entries/driver.ts";
import { dynamicAllocationEnabled, dynamicAllocationMaxExecutors } from "../conf/entries/dynamic-allocation.ts";
import * as executor from "../conf/entries/executor.ts";
import { firesteelPythonEnv } from "../conf/entries/firesteel.ts";
import * as image from "../conf/entries/image.ts";
import { stagingInitImage, stagingInitTimeout, stagingServerInternalUrl } from "../conf/entries/localizing.ts";
import { named } from "../conf/entries/named.ts";
import * as pythonEnv from "../conf/entries/python-env.ts";
import { secretKeyRefs, secrets } from "../conf/entries/secrets.ts";
import { shuffleServiceEnabled } from "../conf/entries/shuffle.ts";
import { shuffleDirectories, shuffleProfile } from "../conf/entries/shuffle-profile.ts";
import { configMapMaxSize, fileUploadPath } from "../conf/entries/staging.ts";
import { callSystemExitOnMainExit, namespace } from "../conf/entries/submission.ts";
import { volumes } from "../conf/entries/volumes.ts";
import { waitAppCompletion } from "../conf/entries/watching.ts";

export const keys = {
  initImage: stagingInitImage.key,
  initTimeout: stagingInitTimeout.key,
  serverForPods: stagingServerInternalUrl.key,
  bucketForPods: stagingS3PodEndpoint.key,
  archives: archives.key,
  bindAddress: driver.driverBindAddress.key,
  configMapMaxSize: configMapMaxSize.key,
  driverAnnotation: driver.driverAnnotations.prefix,
  driverCores: driver.driverCores.key,
  executorCores: executor.executorCores.key,
  driverAccount: authenticateDriver.serviceAccountName.key,
  driverHost: driver.driverHost.key,
  driverJavaOptions: driver.driverExtraJavaOptions.key,
  driverLabel: driver.driverLabels.prefix,
  driverLimitCores: driver.driverLimitCores.key,
  driverMaxResultSize: named.driverMaxResultSize,
  driverMemory: driver.driverMemory.key,
  driverMemoryOverhead: driver.driverMemoryOverhead.key,
  driverNodeSelector: driver.driverNodeSelectors.prefix,
  driverPodName: driver.driverPodName.key,
  driverPort: driver.driverPort.key,
  driverRequestCores: driver.driverRequestCores.key,
  driverResource: driver.driverResources.prefix,
  driverSecret: secrets.driver.prefix,
  driverSecretKeyRef: secretKeyRefs.driver.prefix,
  eventLogDir: named.eventLogDir,
  exclude: driver.excludedFeatureSteps.driver.key,
  executorAccount: named.executorAccount,
  executorImage: image.executorContainerImage.key,
  executorInstances: executor.executorInstances.key,
  executorJavaOptions: named.executorJavaOptions,
  executorMaxFailures: named.executorMaxFailures,
  executorMemory: executor.executorMemory.key,
  executorMemoryOverhead: named.executorMemoryOverhead,
  executorNodeSelector: named.executorNodeSelector,
  executorRequestCores: executor.executorRequestCores.key,
  executorSecret: secrets.executor.prefix,
  executorSecretKeyRef: secretKeyRefs.executor.prefix,
  exitAfterMain: callSystemExitOnMainExit.key,
  featureSteps: driver.featureSteps.driver.key,
  files: files.key,
  image: image.containerImage.key,
  ivy: jarsIvy.key,
  jars: jars.key,
  metastoreUris: named.metastoreUris,
  namespace: namespace.key,
  nodeSelector: driver.nodeSelectors.prefix,
  packages: jarsPackages.key,
  pullPolicy: image.containerImagePullPolicy.key,
  pullSecrets: image.containerImagePullSecrets.key,
  pyFiles: submitPyFiles.key,
  python: pysparkPython.key,
  pythonEnv: firesteelPythonEnv.key,
  s3Endpoint: named.s3Endpoint,
  schedulerName: driver.driverSchedulerName.key,
  shuffleService: shuffleServiceEnabled.key,
  shuffleProfile: shuffleProfile.key,
  shuffleDirectories: shuffleDirectories.key,
  authenticate: executor.authenticateEnabled.key,
  dynamicAllocation: dynamicAllocationEnabled.key,
  maxExecutors: dynamicAllocationMaxExecutors.key,
  template: driver.podTemplateFile.driver.key,
  executorTemplate: driver.podTemplateFile.executor.key,
  volume: volumes.driver.prefix,
  executorVolume: volumes.executor.prefix,
  wait: waitAppCompletion.key,
  uploadPath: fileUploadPath.key,
} as const;

/** Directory of the environment of `--python-env` in pods. */
export const { pythonEnvDirectory } = pythonEnv;

/** Finds the key of a family (such as `spark.kubernetes.driver.label.`) whose value and name match a predicate. */
export function keyWithin(
  properties: Readonly<Record<string, string>>,
  prefix: string,
  fits: (value: string, name: string) => boolean,
): string | undefined {
  return Object.entries(properties).find(
    ([key, value]) => key.startsWith(prefix) && fits(value, key.slice(prefix.length)),
  )?.[0];
}
