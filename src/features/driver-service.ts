import {
  driverBindAddress,
  driverBlockManagerPort,
  driverHost,
  driverPort,
  driverServiceAnnotations,
  driverServiceLabels,
  ipFamilies,
  ipFamilyPolicy,
  publishNotReadyAddresses,
} from "../conf/entries/driver.ts";
import { type Issue, issue } from "../errors/issue.ts";
import type { Service } from "../kube/types.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import { appSelectorLabel } from "../plan/labels.ts";
import { driverPortEntries, driverPorts } from "./driver-ports.ts";
import type { Contribution, FeatureStep } from "./step.ts";
import { inParts } from "./step-parts.ts";

function checkDriverService({ conf, traits }: DriverConf): readonly Issue[] {
  return [
    ...rejectedIf(conf.has(driverBindAddress), {
      key: driverBindAddress.key,
      reason: "the driver's bind address is managed and set to the driver pod's IP address",
    }),
    ...rejectedIf(conf.has(driverHost), {
      key: driverHost.key,
      reason: "the driver's hostname will be managed via a Kubernetes service",
    }),
    ...conf.check([
      ipFamilyPolicy,
      ipFamilies,
      ...driverPortEntries(traits),
      ...(traits.privilegeEscalation ? [publishNotReadyAddresses] : []),
    ]),
  ];
}

function rejectedIf(isSpecified: boolean, fields: { key: string; reason: string }): readonly Issue[] {
  return isSpecified ? [issue("SUBMIT_ERR_DRIVER_ADDRESS", fields)] : [];
}

function contributeService(driver: DriverConf): Contribution {
  const { conf, traits } = driver;
  const annotations = Object.fromEntries(conf.withPrefix(driverServiceAnnotations));
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: driver.serviceName,
      labels: {
        [appSelectorLabel]: driver.appId,
        ...Object.fromEntries(conf.withPrefix(driverServiceLabels)),
      },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    spec: {
      clusterIP: "None",
      ipFamilyPolicy: conf.get(ipFamilyPolicy),
      ipFamilies: conf.get(ipFamilies).split(","),
      selector: driver.labels,
      ports: [...driverPorts(driver).service],
      ...(traits.privilegeEscalation ? { publishNotReadyAddresses: conf.get(publishNotReadyAddresses) } : {}),
    },
  } satisfies Service;
  return { resources: [service] };
}

/** The headless service through which executors find their driver. */
export const driverService: FeatureStep<DriverConf> = {
  name: "DriverServiceFeatureStep",
  check: checkDriverService,
  ...inParts<DriverConf>(
    contributeService,
    ({ serviceName, namespace }) => ({ properties: { [driverHost.key]: `${serviceName}.${namespace}.svc` } }),
    ({ conf }) => ({ properties: { [driverPort.key]: String(conf.get(driverPort)) } }),
    ({ conf }) => ({
      properties: { [driverBlockManagerPort.key]: String(conf.get(driverBlockManagerPort)) },
    }),
  ),
};
