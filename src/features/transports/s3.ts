import { stagingInitTimeout } from "../../conf/entries/localizing.ts";
import type { DriverConf } from "../../plan/driver-conf.ts";
import type { LocalizedDependencies } from "../../plan/localized-dependencies.ts";
import { localizingPath } from "../../plan/transports/localizing-files.ts";
import type { Contribution } from "../step.ts";
import { contributeLocalizing } from "./localizing-init-container.ts";

/** Adds an init container that fetches the files by URLs, which staging signs after the upload to the bucket. */
export function contributeS3(driver: DriverConf, localized: LocalizedDependencies): Contribution {
  const entries = localized.entries.map(({ path: _, ...entry }) => entry);
  const source = { kind: "remote", urlsFile: localizingPath("urls"), entries };
  const timeoutSeconds = driver.conf.get(stagingInitTimeout);
  return contributeLocalizing(driver, localized, { sources: [source], timeoutSeconds }, "urls");
}
