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
import { containerImagePullPolicy, containerImagePullSecrets, driverContainerImage } from "../conf/entries/image.ts";
import { type Issue, issue } from "../errors/issue.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import { driverMemoryEntries } from "../plan/driver-memory.ts";
import { planDriverAnnotations } from "../plan/labels.ts";
import { defaultDriverContainer } from "../plan/names.ts";
import { printJavaDouble } from "../values/java-number.ts";
import { driverPortEntries, driverPorts } from "./driver-ports.ts";
import { resourceRequirements } from "./resource-requirements.ts";
import type { Contribution, ContributionPart, FeatureStep } from "./step.ts";
import { inParts } from "./step-parts.ts";

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
    ...(conf.has(driverContainerImage) ? [] : [issue("SUBMIT_ERR_IMAGE_MISSING", { version: conf.version.text })]),
    ...conf.check(entries),
    ...driver.settingIssues.resources,
  ];
}

function contributeNodeSelector({ conf }: DriverConf): Contribution {
  const nodeSelector = {
    ...Object.fromEntries(conf.withPrefix(nodeSelectors)),
    ...Object.fromEntries(conf.withPrefix(driverNodeSelectors)),
  };
  return Object.keys(nodeSelector).length === 0 ? {} : { podSpec: { nodeSelector } };
}

function contributePullSecrets({ conf }: DriverConf): Contribution {
  const imagePullSecrets = conf.get(containerImagePullSecrets).map((name) => ({ name }));
  return imagePullSecrets.length === 0 ? {} : { podSpec: { imagePullSecrets } };
}

function contributeScheduler({ conf }: DriverConf): Contribution {
  const schedulerName = conf.get(driverSchedulerName);
  return schedulerName === undefined ? {} : { podSpec: { schedulerName } };
}

function contributeContainerName({ template }: DriverConf): Contribution {
  return template?.container.name === undefined ? { container: { name: defaultDriverContainer } } : {};
}

function contributeImage({ conf, traits }: DriverConf): Contribution {
  const image = conf.get(driverContainerImage) ?? "";
  return {
    container: {
      image: traits.imagePlaceholder ? image.replaceAll("{{SPARK_VERSION}}", conf.version.text) : image,
    },
  };
}

function contributeSecurityContext({ conf, traits }: DriverConf): Contribution {
  if (!traits.privilegeEscalation) return {};
  const allowPrivilegeEscalation = conf.get(driverAllowPrivilegeEscalation);
  return { container: { securityContext: { allowPrivilegeEscalation } } };
}

/** Variables in the order in which Spark sets them. */
const variableParts: readonly ContributionPart<DriverConf>[] = [
  (driver) => ({ env: [{ name: "SPARK_USER", value: sparkUser(driver) }] }),
  ({ appId }) => ({ env: [{ name: "SPARK_APPLICATION_ID", value: appId }] }),
  ({ conf }) => ({ env: [...conf.withPrefix(driverEnv)].map(([name, value]) => ({ name, value })) }),
  () => ({
    env: [
      {
        name: "SPARK_DRIVER_BIND_ADDRESS",
        valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "status.podIP" } },
      },
    ],
  }),
];

function sparkUser({ traits, facts, proxyUser }: DriverConf): string {
  const variable = facts.env["SPARK_USER"];
  const inOrder = traits.proxyUserWins ? [proxyUser, variable] : [variable, proxyUser];
  return inOrder.find((user) => user !== undefined) ?? facts.userName;
}

/** Settings that identify the driver. */
const propertyParts: readonly ContributionPart<DriverConf>[] = [
  ({ appId }) => ({ properties: { [appIdEntry.key]: appId } }),
  ({ podName }) => ({ properties: { [driverPodName.key]: podName, [submitInDriver.key]: "true" } }),
  ({ resources }) => ({
    properties: { [memoryOverheadFactor.key]: printJavaDouble(resources.overheadFactor) },
  }),
  ({ conf, facts }) =>
    facts.driverMaster === undefined || conf.has(driverMaster)
      ? {}
      : { properties: { [driverMaster.key]: facts.driverMaster } },
  ({ staged }) => ({ properties: staged.properties }),
];

/** Image, resources, ports, environment and labels of the driver, and the settings that identify it. */
export const basicDriver: FeatureStep<DriverConf> = {
  name: "BasicDriverFeatureStep",
  check: checkBasicDriver,
  ...inParts<DriverConf>(
    ({ labels }) => ({ labels }),
    ({ conf, appId }) => ({ annotations: planDriverAnnotations(conf, appId) }),
    () => ({ podSpec: { restartPolicy: "Never" } }),
    contributeNodeSelector,
    contributePullSecrets,
    contributeScheduler,
    contributeContainerName,
    contributeImage,
    ({ conf }) => ({ container: { imagePullPolicy: conf.get(containerImagePullPolicy) } }),
    contributeSecurityContext,
    ...resourceRequirements,
    (driver) => ({ ports: driverPorts(driver).container }),
    ...variableParts,
    ...propertyParts,
  ),
};
