import * as driverEntries from "../conf/entries/driver.ts";
import * as executor from "../conf/entries/executor.ts";
import { containerImagePullPolicy, containerImagePullSecrets, executorContainerImage } from "../conf/entries/image.ts";
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
import type { Contribution, FeatureStep } from "./step.ts";
import { inParts } from "./step-parts.ts";

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
      : [issue("SUBMIT_ERR_EXECUTOR_IMAGE_MISSING", { version: conf.version.text })]),
    ...conf.check(entries),
    ...settingIssues.resources,
  ];
}

const contributeHostname = ({ hostname }: ExecutorConf): Contribution => ({
  podSpec: { hostname, restartPolicy: "Never" },
});

function contributeGracePeriod({ conf, traits }: ExecutorConf): Contribution {
  if (!traits.executorGracePeriod) return {};
  return { podSpec: { terminationGracePeriodSeconds: conf.get(executor.executorTerminationGracePeriod) } };
}

function contributeNodeSelector({ conf }: ExecutorConf): Contribution {
  const nodeSelector = {
    ...Object.fromEntries(conf.withPrefix(driverEntries.nodeSelectors)),
    ...Object.fromEntries(conf.withPrefix(executor.executorNodeSelectors)),
  };
  return Object.keys(nodeSelector).length === 0 ? {} : { podSpec: { nodeSelector } };
}

function contributePullSecrets({ conf }: ExecutorConf): Contribution {
  const imagePullSecrets = conf.get(containerImagePullSecrets).map((name) => ({ name }));
  return imagePullSecrets.length === 0 ? {} : { podSpec: { imagePullSecrets } };
}

function contributeScheduler({ conf }: ExecutorConf): Contribution {
  const schedulerName = conf.get(executor.executorSchedulerName);
  return schedulerName === undefined ? {} : { podSpec: { schedulerName } };
}

function contributeContainerName({ template }: ExecutorConf): Contribution {
  return template?.container.name === undefined ? { container: { name: defaultExecutorContainer } } : {};
}

function contributeImage({ conf, traits }: ExecutorConf): Contribution {
  const image = conf.get(executorContainerImage) ?? "";
  return {
    container: {
      image: traits.imagePlaceholder ? image.replaceAll("{{SPARK_VERSION}}", conf.version.text) : image,
    },
  };
}

function contributeResizePolicy({ traits }: ExecutorConf): Contribution {
  if (!traits.executorResizePolicy) return {};
  const resizePolicy = ["cpu", "memory"].map((resourceName) => ({
    resourceName,
    restartPolicy: "NotRequired",
  }));
  return { container: { resizePolicy } };
}

function contributeSecurityContext({ conf, traits }: ExecutorConf): Contribution {
  if (!traits.privilegeEscalation) return {};
  const allowPrivilegeEscalation = conf.get(executor.executorAllowPrivilegeEscalation);
  return { container: { securityContext: { allowPrivilegeEscalation } } };
}

function contributeDecommission({ conf }: ExecutorConf): Contribution {
  if (!conf.get(driverEntries.decommissionEnabled)) return {};
  const command = [conf.get(executor.decommissionScript)];
  return { container: { lifecycle: { preStop: { exec: { command } } } } };
}

/** Lists the block manager's port. Port 0 is any free port, which is not known in advance. */
function ports({ conf }: ExecutorConf): readonly ContainerPort[] {
  const port = conf.get(driverEntries.blockManagerPort);
  return port === 0 ? [] : [{ name: "blockmanager", containerPort: port }];
}

/** Mounts the ConfigMap that the driver creates from the files in its own configuration directory. */
function contributeConfMap(pod: ExecutorConf): Contribution {
  if (pod.conf.get(executor.executorDisableConfigMap)) return {};
  const files = Object.keys(chooseConfFiles(pod).texts).sort();
  const items = files.map((file) => ({ key: file, path: file, mode: readableByAll }));
  return {
    volumes: [{ name: confVolume, configMap: { name: pod.confMapName, ...(items.length === 0 ? {} : { items }) } }],
    mounts: [{ name: confVolume, mountPath: confDirectory }],
  };
}

/** Image, resources, port, environment and labels of an executor, and the driver's configuration files. */
export const basicExecutor: FeatureStep<ExecutorConf> = {
  name: "BasicExecutorFeatureStep",
  check: checkBasicExecutor,
  ...inParts<ExecutorConf>(
    ({ labels }) => ({ labels }),
    (pod) => ({ annotations: planExecutorAnnotations(pod.conf, pod) }),
    contributeHostname,
    contributeGracePeriod,
    contributeNodeSelector,
    contributePullSecrets,
    contributeScheduler,
    contributeContainerName,
    contributeImage,
    ({ conf }) => ({
      container: { imagePullPolicy: conf.get(containerImagePullPolicy), args: ["executor"] },
    }),
    ...resourceRequirements,
    contributeResizePolicy,
    contributeSecurityContext,
    contributeDecommission,
    (pod) => ({ ports: ports(pod) }),
    ...executorEnvironment,
    contributeConfMap,
  ),
};
