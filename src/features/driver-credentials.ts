import { authenticateDriver, oauthTokenSuffix } from "../conf/entries/authenticate.ts";
import type { StringMap } from "../kube/types.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import { presentButRedacted } from "../values/redaction.ts";
import { embedCredentials } from "./embedded-credentials.ts";
import type { Contribution, FeatureStep } from "./step.ts";

/** Credentials of the driver for the API server: configured ones, else a service account. */
export const driverCredentials: FeatureStep<DriverConf> = {
  name: "DriverKubernetesCredentialsFeatureStep",
  check: ({ conf }) => conf.check([authenticateDriver.serviceAccountName]),
  contribute: (driver) => {
    const added = hasCredentials(driver) ? embedCredentials(driver) : serviceAccount(driver);
    const properties = { ...redactedTokens(driver), ...added.properties };
    return { ...added, ...(Object.keys(properties).length === 0 ? {} : { properties }) };
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

/** Hides all tokens in the driver's properties, which are in a ConfigMap. */
function redactedTokens({ conf }: DriverConf): StringMap {
  const keys = conf.settings().flatMap(({ key }) => (key.endsWith(oauthTokenSuffix) ? [key] : []));
  return Object.fromEntries(keys.map((key) => [key, presentButRedacted]));
}
