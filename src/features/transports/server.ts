import { stagingInitTimeout, stagingServer, stagingServerInternalUrl } from "../../conf/entries/localizing.ts";
import type { DriverConf } from "../../plan/driver-conf.ts";
import type { LocalizedDependencies } from "../../plan/localized-dependencies.ts";
import type { Contribution } from "../step.ts";
import { contributeLocalizing } from "./localizing-init-container.ts";

/** Adds an init container that fetches a bundle from the staging server. Staging adds the bundle's ID after the upload. */
export function contributeServer(driver: DriverConf, localized: LocalizedDependencies): Contribution {
  const { conf } = driver;
  const server = conf.get(stagingServerInternalUrl) ?? conf.get(stagingServer);
  return contributeLocalizing(driver, localized, {
    sources: [{ kind: "bundle", server }],
    timeoutSeconds: conf.get(stagingInitTimeout),
  });
}
