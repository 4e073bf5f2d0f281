import { createSecureContext, type TlsOptions } from "node:tls";
import type { Files } from "../../host/host.ts";

/** Locations of certificate and key, and of the authorities of clients. */
export interface TlsFiles {
  /** PEM files. */
  readonly keyPem?: string | undefined;
  readonly serverCertPem?: string | undefined;
  /** PKCS#12 file. */
  readonly keyStore?: string | undefined;
  readonly keyStorePassword?: string | undefined;
  readonly keyStorePasswordFile?: string | undefined;
  readonly keyPassword?: string | undefined;
  readonly keyPasswordFile?: string | undefined;
  /** Whether clients must have a certificate that an authority in `clientCertPem` has signed. */
  readonly needClientAuth: boolean;
  readonly clientCertPem?: string | undefined;
}

/** Reads certificate and key from their files. @throws Error that names the file */
export function readTls(files: Files, settings: TlsFiles): TlsOptions {
  const { keyPem, serverCertPem, keyStore, clientCertPem, needClientAuth } = settings;
  const text = (what: string, path: string) => {
    const found = files.info(path)?.kind === "file" ? files.readText(path) : undefined;
    if (found === undefined) throw new Error(`${what} provided at ${path} does not exist or is not a file.`);
    // Node takes an empty text for none. A file that is being written is empty first.
    if (found.trim() === "") throw new Error(`${what} provided at ${path} is empty.`);
    return found;
  };
  const secret = (what: string, value: string | undefined, path: string | undefined) =>
    value ?? (path === undefined ? undefined : text(what, path).replace(/\r?\n$/, ""));
  const { keyPassword, keyPasswordFile, keyStorePassword, keyStorePasswordFile } = settings;
  const ofStore = secret("KeyStore password file", keyStorePassword, keyStorePasswordFile);
  const ofKey = secret("KeyStore key password file", keyPassword, keyPasswordFile);
  const passphrase = keyStore === undefined ? ofKey : ofStore;
  const options: TlsOptions = {
    minVersion: "TLSv1.2",
    ...(keyPem === undefined ? {} : { key: text("Key PEM file", keyPem) }),
    ...(serverCertPem === undefined ? {} : { cert: text("Certificate PEM file", serverCertPem) }),
    ...(keyStore === undefined ? {} : { pfx: bytes(files, keyStore) }),
    ...(passphrase === undefined ? {} : { passphrase }),
    ...(needClientAuth && { requestCert: true, rejectUnauthorized: true }),
    ...(clientCertPem === undefined ? {} : { ca: text("Client certificate PEM file", clientCertPem) }),
  };
  // Report an invalid combination now instead of at the first connection.
  createSecureContext(options);
  return options;
}

function bytes(files: Files, path: string): Buffer {
  const found = files.info(path)?.kind === "file" ? files.readBytes(path) : undefined;
  if (found === undefined) throw new Error(`KeyStore file provided at ${path} does not exist or is not a file.`);
  return Buffer.from(found);
}
