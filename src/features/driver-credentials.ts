import { authenticateDriver, oauthTokenSuffix } from "../conf/entries/authenticate.ts";
import type { StringMap } from "../kube/types.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import { presentButRedacted } from "../values/redaction.ts";
import { embedCredentials } from "./embedded-credentials.ts";
import type { Contribution, FeatureStep } from "./step.ts";

/** Credentials of the driver for the API: the submitter's, else a service account. */
export const driverCredentials: FeatureStep<DriverConf> = {
  name: "DriverKubernetesCredentialsFeatureStep",
  check: ({ conf }) => conf.check([authenticateDriver.serviceAccountName]),
  contribute: (driver) => {
    const given = hasCredentials(driver) ? embedCredentials(driver) : serviceAccount(driver);
    return { ...given, properties: { ...redactedTokens(driver), ...given.properties } };
  },
};

function hasCredentials({ conf }: DriverConf): boolean {
  const { oauthToken, caCertFile, clientKeyFile, clientCertFile } = authenticateDriver;
  return [oauthToken, caCertFile, clientKeyFile, clientCertFile].some((entry) => conf.has(entry));
}

function serviceAccount({ conf }: DriverConf): Contribution {
  const name = conf.get(authenticateDriver.serviceAccountName);
  return name === undefined ? {} : { podSpec: { serviceAccount: name, serviceAccountName: name } };
}

/** The properties are in a ConfigMap, which must not contain tokens: tokens for other uses are hidden too. */
function redactedTokens({ conf }: DriverConf): StringMap {
  const keys = conf.settings().flatMap(({ key }) => (key.endsWith(oauthTokenSuffix) ? [key] : []));
  return Object.fromEntries(keys.map((key) => [key, presentButRedacted]));
}
