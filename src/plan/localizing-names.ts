import type { DriverConf } from "./driver-conf.ts";
import type { LocalizedDependencies } from "./localized-dependencies.ts";
import { localizingPath } from "./transports/localizing-files.ts";

/** Returns the source of the remote files for the init container, if there are any. Their URLs are in its Secret. */
export function remoteSources({ remote }: Pick<LocalizedDependencies, "remote">) {
  if (remote.length === 0) return [];
  const entries = remote.map(({ kind, name }) => ({ kind, name }));
  return [{ kind: "remote" as const, urlsFile: localizingPath("remoteUrls"), entries }];
}

/** Names the ConfigMap and the Secret of the init container. Their content belongs to one attempt at a submission. */
export function localizingNames(driver: Pick<DriverConf, "resourceNamePrefix" | "facts">) {
  const prefix = attemptPrefix(driver);
  return { configMap: `${prefix}-deps-conf`, secret: `${prefix}-deps-token` };
}

/** Prefix for names of objects that differ between attempts at the same submission. */
export function attemptPrefix({ resourceNamePrefix, facts }: Pick<DriverConf, "resourceNamePrefix" | "facts">): string {
  const { attempt } = facts.uniqueIds;
  return attempt === undefined ? resourceNamePrefix : `${resourceNamePrefix}-${attempt}`;
}
