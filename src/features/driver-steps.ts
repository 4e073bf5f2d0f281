import type { DriverConf } from "../plan/driver-conf.ts";
import { basicDriver } from "./basic-driver.ts";
import { driverCommand } from "./driver-command.ts";
import { driverCredentials } from "./driver-credentials.ts";
import { driverService } from "./driver-service.ts";
import { envSecrets } from "./env-secrets.ts";
import { hadoopConf } from "./hadoop-conf.ts";
import { kerberosConf } from "./kerberos-conf.ts";
import { localDirs } from "./local-dirs.ts";
import { localizeDependencies } from "./localize-dependencies.ts";
import { mountSecrets } from "./mount-secrets.ts";
import { mountVolumes } from "./mount-volumes.ts";
import { networkPolicy } from "./network-policy.ts";
import { podTemplateConfigMap } from "./pod-template-config-map.ts";
import type { FeatureStep } from "./step.ts";
import { volcano } from "./volcano.ts";

/** Steps of a driver, in Spark's order, which determines the order of lists such as environment and volumes. */
export const driverSteps: readonly FeatureStep<DriverConf>[] = [
  basicDriver,
  driverCredentials,
  driverService,
  networkPolicy,
  mountSecrets,
  envSecrets,
  mountVolumes,
  driverCommand,
  hadoopConf,
  kerberosConf,
  podTemplateConfigMap,
  localDirs,
  volcano,
  localizeDependencies,
];
