import type { CleanerSettings } from "./cleaner/cleaner-settings.ts";

/** Settings of a shuffle service; paths are absolute. */
export interface ShuffleServiceSettings {
  /** @default all addresses of this machine */
  readonly address?: string | undefined;
  /** 0: any free port. */
  readonly port: number;
  /** Directories that contain the local directories of executors. */
  readonly directories: readonly string[];
  /** @default registrations are lost at a restart */
  readonly stateDirectory?: string | undefined;
  /** @default every client may do everything */
  readonly authentication?: AuthenticationSettings | undefined;
  /** @default no TLS */
  readonly tls?: ServiceTlsSettings | undefined;
  /** @default no metrics and no health checks */
  readonly metrics?: { readonly address: string | undefined; readonly port: number } | undefined;
  /** @default no files are removed */
  readonly cleaner?: CleanerSettings | undefined;
  readonly limits: {
    readonly maxConnections: number;
    readonly maxChunksInFlight: number;
    readonly bufferBytes: number;
    readonly requestBytes: number;
    readonly indexCacheBytes: number;
    readonly maxUnusedFiles: number;
    readonly connectionTimeoutMs: number;
    readonly handshakeTimeoutMs: number;
    readonly drainMs: number;
  };
}

/** Settings of the authentication of clients. */
export interface AuthenticationSettings {
  readonly secrets: SecretSource;
  /** @default only SASL */
  readonly aes?: { readonly cipher: "ctr" | "gcm"; readonly version: 1 | 2 } | undefined;
  readonly acceptsSasl: boolean;
  readonly saslAlwaysEncrypts: boolean;
  readonly maxEncryptedBlockBytes: number;
}

/** Source of the secrets of applications. */
export type SecretSource =
  /** A file for each application. */
  | { readonly kind: "directory"; readonly directory: string }
  /** Bytes that are, as Base64, the secret of all applications. */
  | { readonly kind: "file"; readonly file: string; readonly key: string }
  | { readonly kind: "text"; readonly secret: string };

/** Key and certificate as PEM or PKCS#12. */
export type ServiceTlsSettings =
  | (TlsFiles & { readonly kind: "pem"; readonly key: string; readonly certificates: string })
  | (TlsFiles & { readonly kind: "pkcs12"; readonly keyStore: string });

interface TlsFiles {
  readonly password: string | undefined;
  /** Setting of the key or the key store, for messages. */
  readonly setting: string;
}
