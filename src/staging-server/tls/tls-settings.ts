import type { TlsFiles } from "../../http/tls/read-tls.ts";

/** Locations of certificate and key, as specified in the settings. */
export interface TlsSettings extends TlsFiles {
  /** @default whether there is a key */
  readonly enabled?: boolean | undefined;
  readonly keyStoreType?: string | undefined;
  readonly trustStore?: string | undefined;
  readonly reloadEveryMs: number;
}

/** Returns whether TLS is enabled. */
export function isTlsEnabled({ enabled, keyPem, serverCertPem, keyStore }: TlsSettings): boolean {
  return enabled ?? [keyPem, serverCertPem, keyStore].some((path) => path !== undefined);
}

/**
 * Lists contradictory settings, with the messages of the 2017 server.
 *
 * Source: apache-spark-on-k8s, ResourceStagingServerSslOptionsProvider.
 */
export function tlsContradictions(settings: TlsSettings): readonly string[] {
  const { keyPem, serverCertPem, keyStore, clientCertPem, trustStore } = settings;
  const both = (one: string | undefined, other: string | undefined) => one !== undefined && other !== undefined;
  const rules: readonly (readonly [boolean, string])[] = [
    [both(keyPem, keyStore), "Shouldn't provide both key PEM and keyStore files for TLS."],
    [both(serverCertPem, keyStore), "Shouldn't provide both certificate PEM and keyStore files for TLS."],
    [
      both(settings.keyStorePassword, settings.keyStorePasswordFile),
      "Shouldn't provide both the keyStore password value and the keyStore password file.",
    ],
    [
      both(settings.keyPassword, settings.keyPasswordFile),
      "Shouldn't provide both a keyStore key password value and a keyStore key password file.",
    ],
    [
      serverCertPem !== undefined && keyPem === undefined && keyStore === undefined,
      "When providing a certificate PEM file, the key PEM file must also be provided.",
    ],
    [
      keyPem !== undefined && serverCertPem === undefined && keyStore === undefined,
      "When providing a key PEM file, the certificate PEM file must also be provided.",
    ],
    [both(trustStore, clientCertPem), "Shouldn't provide both the trustStore and a client certificate PEM file."],
    [
      [keyPem, serverCertPem, keyStore].every((path) => path === undefined),
      "When TLS is enabled, a key PEM file and a certificate PEM file, or a keyStore, must be provided.",
    ],
    [
      keyStore !== undefined && (settings.keyStoreType ?? "PKCS12").toUpperCase() !== "PKCS12",
      `A keyStore must be of type PKCS12 instead of ${settings.keyStoreType}.`,
    ],
    [trustStore !== undefined, "A trustStore is not supported: provide a client certificate PEM file instead."],
    [
      settings.needClientAuth && clientCertPem === undefined && trustStore === undefined,
      "When clients need a certificate, the client certificate PEM file must be provided.",
    ],
  ];
  return rules.flatMap(([isBroken, message]) => (isBroken ? [message] : []));
}
