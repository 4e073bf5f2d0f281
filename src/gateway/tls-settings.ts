import { resolve } from "node:path";
import type { Issue } from "../errors/issue.ts";
import type { Files } from "../host/host.ts";
import { readTls } from "../http/tls/read-tls.ts";
import type { TlsSource } from "../http/tls/tls-source.ts";
import { invalidOption } from "./invalid-option.ts";
import type { GatewayTls } from "./settings.ts";

interface TlsInput {
  readonly cwd: string;
  /** Returns the last value of an option. */
  readonly value: (option: "--tls-cert" | "--tls-key" | "--tls-client-ca") => string | undefined;
}

/** Reads the options for TLS, with every problem. */
export function tlsSettings({ cwd, value }: TlsInput): {
  readonly tls: GatewayTls | undefined;
  readonly issues: readonly Issue[];
} {
  const [certificate, key, authorities] = [value("--tls-cert"), value("--tls-key"), value("--tls-client-ca")];
  if (certificate !== undefined && key !== undefined) {
    const clientAuthorities = authorities === undefined ? undefined : resolve(cwd, authorities);
    return { tls: { certificate: resolve(cwd, certificate), key: resolve(cwd, key), clientAuthorities }, issues: [] };
  }
  const incomplete = (option: string, path: string | undefined, allowed: string) =>
    path === undefined ? [] : [invalidOption(option, path, allowed)];
  return {
    tls: undefined,
    issues: [
      ...incomplete("--tls-cert", certificate, "a file with --tls-key FILE"),
      ...incomplete("--tls-key", key, "a file with --tls-cert FILE"),
      ...incomplete("--tls-client-ca", authorities, "a file with --tls-cert FILE and --tls-key FILE"),
    ],
  };
}

const reloadEveryMs = 5000;

/** Returns the source of certificate and key. A client without a certificate is accepted: health checks have none. */
export function tlsSource(files: Files, { certificate, key, clientAuthorities }: GatewayTls): TlsSource {
  const settings = {
    ...{ serverCertPem: certificate, keyPem: key, clientCertPem: clientAuthorities },
    needClientAuth: clientAuthorities !== undefined,
  };
  return { read: () => ({ ...readTls(files, settings), rejectUnauthorized: false }), reloadEveryMs };
}
