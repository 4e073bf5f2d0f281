import { appId as appIdEntry } from "../conf/entries/app.ts";
import {
  driverAllowPrivilegeEscalation,
  driverCores,
  driverEnv,
  driverMaster,
  driverNodeSelectors,
  driverPodName,
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
import { type Issue, issue } from "../errors/issue.ts";
import type { EnvVar } from "../kube/types.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import { driverMemoryEntries } from "../plan/driver-memory.ts";
import { planDriverAnnotations } from "../plan/labels.ts";
import { defaultDriverContainer } from "../plan/names.ts";
import { printJavaDouble } from "../values/java-number.ts";
import { driverPortEntries, driverPorts } from "./driver-ports.ts";
import { resourceRequirements } from "./resource-requirements.ts";
import type { ContainerScalars, Contribution, FeatureStep, PodScalars } from "./step.ts";

/** Image, resources, ports, environment and labels of the driver, and the settings that identify it. */
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
  return [
    ...(conf.has(driverContainerImage)
      ? []
      : [issue("SUBMIT_ERR_IMAGE_MISSING", { key: containerImage.key })]),
    ...conf.check(entries),
    ...driver.settingIssues.resources,
  ];
}

function contributeBasicDriver(driver: DriverConf): Contribution {
  const { conf, facts } = driver;
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
      [memoryOverheadFactor.key]: printJavaDouble(driver.resources.overheadFactor),
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

function containerScalars({ conf, traits, resources, template }: DriverConf): Partial<ContainerScalars> {
  const image = conf.get(driverContainerImage) ?? "";
  return {
    ...(template?.container.name === undefined ? { name: defaultDriverContainer } : {}),
    image: traits.imagePlaceholder ? image.replaceAll("{{SPARK_VERSION}}", conf.version.text) : image,
    imagePullPolicy: conf.get(containerImagePullPolicy),
    resources: resourceRequirements(resources),
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
