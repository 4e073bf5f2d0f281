import { stagingInitTimeout } from "../../../../conf/entries/localizing.ts";
import type { DriverConf } from "../../../../plan/driver-conf.ts";
import { localizingNames, remoteSources } from "../../../../plan/localizing-names.ts";
import { localizingFiles, localizingPath } from "../../../../plan/transports/localizing-files.ts";
import type { BundleSource, LocalizeConfig, RemoteSource } from "../../../../staging-client/localize-config.ts";
import type { TransferCall, TransferResult } from "./transfer-files.ts";

/** Returns the ConfigMap of the init container: its configuration, and the certificate authorities of the transport's source (PEM). */
export function localizingConfig(
  { driver, localized }: TransferCall,
  source: BundleSource | RemoteSource | undefined,
  authority: string | undefined,
): TransferResult["data"] {
  const config: LocalizeConfig = {
    directory: localized.directory,
    sources: [
      ...(source === undefined
        ? []
        : [{ ...source, ...(authority !== undefined && { authorityFile: localizingPath("authority") }) }]),
      ...remoteSources(localized),
    ],
    timeoutSeconds: driver.conf.get(stagingInitTimeout),
  };
  return {
    [`ConfigMap/${localizingNames(driver).configMap}`]: {
      [localizingFiles.config]: JSON.stringify(config, undefined, 2),
      ...(authority !== undefined && { [localizingFiles.authority]: authority }),
    },
  };
}

/** Returns the Secret of the init container. */
export function localizingSecret(driver: DriverConf, file: "token" | "urls", text: string): TransferResult["data"] {
  const { secret } = localizingNames(driver);
  return { [`Secret/${secret}`]: { [localizingFiles[file]]: Buffer.from(text).toString("base64") } };
}
