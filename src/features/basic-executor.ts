import * as driverEntries from "../conf/entries/driver.ts";
import * as executor from "../conf/entries/executor.ts";
import {
  containerImage,
  containerImagePullPolicy,
  containerImagePullSecrets,
  executorContainerImage,
} from "../conf/entries/image.ts";
import type { ConfEntry } from "../conf/entry.ts";
import { type Issue, issue } from "../errors/issue.ts";
import type { ContainerPort } from "../kube/types.ts";
import { chooseConfFiles } from "../plan/conf-files.ts";
import type { ExecutorConf } from "../plan/executor-conf.ts";
import { executorMemoryEntries } from "../plan/executor-memory.ts";
import { planExecutorAnnotations } from "../plan/labels.ts";
import { defaultExecutorContainer } from "../plan/names.ts";
import { executorEnvironment } from "./executor-environment.ts";
import { resourceRequirements } from "./resource-requirements.ts";
import type { ContainerScalars, Contribution, FeatureStep, PodScalars } from "./step.ts";

/** Image, resources, port, environment and labels of an executor, and the driver's configuration files. */
export const basicExecutor: FeatureStep<ExecutorConf> = {
  name: "BasicExecutorFeatureStep",
  check: checkBasicExecutor,
  contribute: contributeBasicExecutor,
};

const confVolume = "spark-conf-volume-exec";
const confDirectory = "/opt/spark/conf";
const readableByAll = 0o644;

function checkBasicExecutor({ conf, traits, settingIssues }: ExecutorConf): readonly Issue[] {
  const entries: readonly ConfEntry<unknown>[] = [
    executorContainerImage,
    containerImagePullPolicy,
    containerImagePullSecrets,
    executor.executorCores,
    ...executorMemoryEntries(traits),
    executor.executorSchedulerName,
    driverEntries.blockManagerPort,
    driverEntries.decommissionEnabled,
    executor.executorDisableConfigMap,
    executor.authenticateEnabled,
    executor.executorDefaultJavaOptions,
    executor.executorExtraJavaOptions,
    executor.executorExtraClassPath,
    executor.executorExtraLibraryPath,
    executor.decommissionScript,
    ...(traits.executorGracePeriod ? [executor.executorTerminationGracePeriod] : []),
    ...(traits.driverPodIpForExecutors === undefined ? [] : [executor.executorUseDriverPodIp]),
    ...(traits.privilegeEscalation ? [executor.executorAllowPrivilegeEscalation] : []),
  ];
  return [
    ...(conf.has(executorContainerImage)
      ? []
      : [issue("SUBMIT_ERR_EXECUTOR_IMAGE_MISSING", { key: containerImage.key })]),
    ...conf.check(entries),
    ...settingIssues.resources,
  ];
}

function contributeBasicExecutor(pod: ExecutorConf): Contribution {
  const hasConfMap = !pod.conf.get(executor.executorDisableConfigMap);
  return {
    labels: pod.labels,
    annotations: planExecutorAnnotations(pod.conf, pod),
    podSpec: podScalars(pod),
    container: containerScalars(pod),
    ports: ports(pod),
    env: executorEnvironment(pod),
    ...(hasConfMap ? confMapVolume(pod) : {}),
  };
}

function podScalars({ conf, traits, hostname }: ExecutorConf): Partial<PodScalars> {
  const selector = {
    ...Object.fromEntries(conf.withPrefix(driverEntries.nodeSelectors)),
    ...Object.fromEntries(conf.withPrefix(executor.executorNodeSelectors)),
  };
  const pullSecrets = conf.get(containerImagePullSecrets).map((name) => ({ name }));
  const schedulerName = conf.get(executor.executorSchedulerName);
  return {
    hostname,
    restartPolicy: "Never",
    ...(traits.executorGracePeriod
      ? { terminationGracePeriodSeconds: conf.get(executor.executorTerminationGracePeriod) }
      : {}),
    ...(Object.keys(selector).length === 0 ? {} : { nodeSelector: selector }),
    ...(pullSecrets.length === 0 ? {} : { imagePullSecrets: pullSecrets }),
    ...(schedulerName === undefined ? {} : { schedulerName }),
  };
}

function containerScalars(pod: ExecutorConf): Partial<ContainerScalars> {
  const { conf, traits, template } = pod;
  const image = conf.get(executorContainerImage) ?? "";
  return {
    ...(template?.container.name === undefined ? { name: defaultExecutorContainer } : {}),
    image: traits.imagePlaceholder ? image.replaceAll("{{SPARK_VERSION}}", conf.version.text) : image,
    imagePullPolicy: conf.get(containerImagePullPolicy),
    args: ["executor"],
    resources: resourceRequirements(pod.resources),
    ...(traits.executorResizePolicy
      ? {
          resizePolicy: ["cpu", "memory"].map((resourceName) => ({
            resourceName,
            restartPolicy: "NotRequired",
          })),
        }
      : {}),
    ...(traits.privilegeEscalation
      ? { securityContext: { allowPrivilegeEscalation: conf.get(executor.executorAllowPrivilegeEscalation) } }
      : {}),
    ...(conf.get(driverEntries.decommissionEnabled)
      ? { lifecycle: { preStop: { exec: { command: [conf.get(executor.decommissionScript)] } } } }
      : {}),
  };
}

/** Lists the block manager's port. Port 0 is any free port, which is not known in advance. */
function ports({ conf }: ExecutorConf): readonly ContainerPort[] {
  const port = conf.get(driverEntries.blockManagerPort);
  return port === 0 ? [] : [{ name: "blockmanager", containerPort: port }];
}

/** Mounts the ConfigMap that the driver creates from the files in its own configuration directory. */
function confMapVolume(pod: ExecutorConf): Contribution {
  const files = Object.keys(chooseConfFiles(pod).texts).sort();
  const items = files.map((file) => ({ key: file, path: file, mode: readableByAll }));
  return {
    volumes: [
      { name: confVolume, configMap: { name: pod.confMapName, ...(items.length === 0 ? {} : { items }) } },
    ],
    mounts: [{ name: confVolume, mountPath: confDirectory }],
  };
}
