import { stagingInitTimeout } from "../../conf/entries/localizing.ts";
import type { DriverConf } from "../../plan/driver-conf.ts";
import type { LocalizedDependencies } from "../../plan/localized-dependencies.ts";
import type { Contribution } from "../step.ts";
import { contributeLocalizing } from "./localizing-init-container.ts";

/** Adds an init container that fetches only remote files. */
export function contributeRemote(driver: DriverConf, localized: LocalizedDependencies): Contribution {
  const timeoutSeconds = driver.conf.get(stagingInitTimeout);
  return contributeLocalizing(driver, localized, { sources: [], timeoutSeconds }, "remoteUrls");
}
