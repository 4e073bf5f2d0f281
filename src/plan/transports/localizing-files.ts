/** Mount path of the init container's ConfigMap and Secret. */
export const localizingDirectory = "/etc/firesteel-localize";

/** Files in `localizingDirectory`. */
export const localizingFiles = {
  config: "localize.json",
  authority: "authority.pem",
  token: "token",
  urls: "urls.json",
  remoteUrls: "remote-urls.json",
  serverKey: "server.key",
  serverCertificate: "server.pem",
} as const;

/** Returns the path of a file in `localizingDirectory`. */
export function localizingPath(file: keyof typeof localizingFiles): string {
  return `${localizingDirectory}/${localizingFiles[file]}`;
}
