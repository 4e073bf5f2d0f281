import type { DriverConf } from "./driver-conf.ts";

/** The name of the init container that brings files, and of the volume with what it is told. */
export const localizingContainer = "firesteel-localize";

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

/** The objects that tell the init container what to bring. */
export function localizingNames({ resourceNamePrefix }: Pick<DriverConf, "resourceNamePrefix">) {
  return { configMap: `${resourceNamePrefix}-deps-conf`, secret: `${resourceNamePrefix}-deps-token` };
}
