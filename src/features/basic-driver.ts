import { appId as appIdEntry } from "../conf/entries/app.ts";
import {
  driverAllowPrivilegeEscalation,
  driverCores,
  driverEnv,
  driverLimitCores,
  driverMaster,
  driverNodeSelectors,
  driverPodName,
  driverRequestCores,
  driverSchedulerName,
  memoryOverheadFactor,
  nodeSelectors,
  submitInDriver,
} from "../conf/entries/driver.ts";
import {
  containerImage,
  containerImagePullPolicy,
  containerImagePullSecrets,
  driverContainerImage,
} from "../conf/entries/image.ts";
import { type Issue, issue, issuesOf } from "../errors/issue.ts";
import type { EnvVar } from "../kube/types.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import { driverMemoryEntries, planDriverMemory } from "../plan/driver-memory.ts";
import { driverCpuIssues, parseDriverResources } from "../plan/driver-resources.ts";
import { planDriverAnnotations } from "../plan/labels.ts";
import { defaultDriverContainer } from "../plan/names.ts";
import { printJavaDouble } from "../values/java-number.ts";
import { driverPortEntries, driverPorts } from "./driver-ports.ts";
import type { ContainerScalars, Contribution, FeatureStep, PodScalars } from "./step.ts";

/** Image, resources, ports, environment and labels of the driver, and what it is told of itself. */
export const basicDriver: FeatureStep<DriverConf> = {
  name: "BasicDriverFeatureStep",
  check: checkBasicDriver,
  contribute: contributeBasicDriver,
};

function checkBasicDriver(driver: DriverConf): readonly Issue[] {
  const { conf, traits } = driver;
  const entries = [
    driverContainerImage,
    containerImagePullPolicy,
    containerImagePullSecrets,
    driverCores,
    ...driverMemoryEntries(traits),
    driverSchedulerName,
    ...driverPortEntries(traits),
    ...(traits.privilegeEscalation ? [driverAllowPrivilegeEscalation] : []),
  ];
  const resources = parseDriverResources(conf);
  return [
    ...(conf.has(driverContainerImage)
      ? []
      : [issue("SUBMIT_ERR_IMAGE_MISSING", { key: containerImage.key })]),
    ...conf.check(entries),
    ...driverCpuIssues(conf),
    ...issuesOf(resources),
  ];
}

function contributeBasicDriver(driver: DriverConf): Contribution {
  const { conf, facts } = driver;
  const { overheadFactor } = planDriverMemory(conf, driver.appResource.kind);
  const ownMaster = facts.driverMaster !== undefined && !conf.has(driverMaster);
  return {
    labels: driver.labels,
    annotations: planDriverAnnotations(conf, driver.appId),
    podSpec: podScalars(driver),
    container: containerScalars(driver),
    ports: driverPorts(driver).container,
    env: environment(driver),
    properties: {
      [appIdEntry.key]: driver.appId,
      [driverPodName.key]: driver.podName,
      [submitInDriver.key]: "true",
      [memoryOverheadFactor.key]: printJavaDouble(overheadFactor),
      ...(ownMaster ? { [driverMaster.key]: facts.driverMaster } : {}),
      ...driver.staged.properties,
    },
  };
}

function podScalars({ conf }: DriverConf): Partial<PodScalars> {
  const selector = {
    ...Object.fromEntries(conf.withPrefix(nodeSelectors)),
    ...Object.fromEntries(conf.withPrefix(driverNodeSelectors)),
  };
  const pullSecrets = conf.get(containerImagePullSecrets).map((name) => ({ name }));
  const schedulerName = conf.get(driverSchedulerName);
  return {
    restartPolicy: "Never",
    ...(Object.keys(selector).length === 0 ? {} : { nodeSelector: selector }),
    ...(pullSecrets.length === 0 ? {} : { imagePullSecrets: pullSecrets }),
    ...(schedulerName === undefined ? {} : { schedulerName }),
  };
}

function containerScalars({ conf, traits, appResource, template }: DriverConf): Partial<ContainerScalars> {
  const image = conf.get(driverContainerImage) ?? "";
  const memory = `${planDriverMemory(conf, appResource.kind).totalMiB}Mi`;
  const limitCores = conf.get(driverLimitCores);
  const resources = parseDriverResources(conf);
  return {
    ...(template?.container.name === undefined ? { name: defaultDriverContainer } : {}),
    image: traits.imagePlaceholder ? image.replaceAll("{{SPARK_VERSION}}", conf.version.text) : image,
    imagePullPolicy: conf.get(containerImagePullPolicy),
    resources: {
      requests: { cpu: conf.get(driverRequestCores) ?? String(conf.get(driverCores)), memory },
      limits: {
        ...(limitCores === undefined ? {} : { cpu: limitCores }),
        memory,
        ...(resources.ok ? resources.value : {}),
      },
    },
    ...(traits.privilegeEscalation
      ? { securityContext: { allowPrivilegeEscalation: conf.get(driverAllowPrivilegeEscalation) } }
      : {}),
  };
}

function environment(driver: DriverConf): readonly EnvVar[] {
  return [
    { name: "SPARK_USER", value: sparkUser(driver) },
    { name: "SPARK_APPLICATION_ID", value: driver.appId },
    ...[...driver.conf.withPrefix(driverEnv)].map(([name, value]) => ({ name, value })),
    {
      name: "SPARK_DRIVER_BIND_ADDRESS",
      valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "status.podIP" } },
    },
  ];
}

function sparkUser({ traits, facts, proxyUser }: DriverConf): string {
  const variable = facts.env["SPARK_USER"];
  const inOrder = traits.proxyUserWins ? [proxyUser, variable] : [variable, proxyUser];
  return inOrder.find((user) => user !== undefined) ?? facts.userName;
}
