import type { DriverConf } from "./driver-conf.ts";

/** Where the init container finds what is in its ConfigMap and its Secret. */
export const localizingDirectory = "/etc/firesteel-localize";

/** The files there. */
export const localizingFiles = {
  config: "localize.json",
  authority: "authority.pem",
  token: "token",
  urls: "urls.json",
} as const;

/** The path of one of them. */
export function localizingPath(file: keyof typeof localizingFiles): string {
  return `${localizingDirectory}/${localizingFiles[file]}`;
}

/** The objects that tell the init container what to bring: what is staged, and what opens it, is of one attempt. */
export function localizingNames(driver: Pick<DriverConf, "resourceNamePrefix" | "facts">) {
  const prefix = attemptPrefix(driver);
  return { configMap: `${prefix}-deps-conf`, secret: `${prefix}-deps-token` };
}

/** Begins the names of objects that another attempt at the same submission would make otherwise. */
export function attemptPrefix({
  resourceNamePrefix,
  facts,
}: Pick<DriverConf, "resourceNamePrefix" | "facts">): string {
  const { attempt } = facts.uniqueIds;
  return attempt === undefined ? resourceNamePrefix : `${resourceNamePrefix}-${attempt}`;
}
