import type { SparkVersion } from "../conf/spark-version.ts";
import type { RequestLimits } from "./http/request-limits.ts";
import type { LogLocation } from "./logs/log-store.ts";
import type { OidcSettings } from "./oidc/oidc-settings.ts";
import type { QueueRules } from "./queue/queue-rules.ts";
import type { Webhook } from "./webhooks/webhook.ts";

/** Settings of a gateway; paths are absolute. */
export interface GatewaySettings {
  /** Name of the gateway, which its records, labels and lease have. */
  readonly name: string;
  readonly address: string;
  /** 0: any free port. */
  readonly port: number;
  /** Prefix of all paths, without a slash at its end; empty for none. */
  readonly prefix: string;
  /** URL under which clients reach the gateway through a proxy. @default what each request's `Host` names */
  readonly externalUrl?: string | undefined;
  /** Server of the Spark UIs. @default on the port of the gateway, if clients need no authentication */
  readonly ui?: UiServer | undefined;
  /** Port of metrics and health checks without authentication and TLS; 0: any free one. @default none */
  readonly metricsPort?: number | undefined;
  readonly tls?: GatewayTls | undefined;
  /** Namespace of the gateway: of its Lease, and of its records if they are Secrets. */
  readonly ownNamespace: string;
  /** Namespace of applications that name none. */
  readonly namespace: string;
  /** Namespaces that applications may use; `undefined` for all. */
  readonly namespaces?: readonly string[] | undefined;
  /** Settings of applications that do not set them. */
  readonly defaults: Readonly<Record<string, string>>;
  /** Rules of the queues. */
  readonly queues: QueueRules;
  /** Directory of the database of the records; `undefined` if they are Secrets. */
  readonly storeDirectory?: string | undefined;
  /** Whether several gateways share the name, of which one serves at a time. */
  readonly isElected: boolean;
  /** User of applications without an owner. */
  readonly user: string;
  readonly authentication: AuthenticationSettings;
  /** File with the key of browsers' sessions. @default a key of this process */
  readonly sessionKeyFile?: string | undefined;
  /** Whether submissions act as the owners of their applications, with the owners' permissions. */
  readonly isImpersonating: boolean;
  /** Host names of the gateway besides those of the loopback address, which alone can reach a gateway without authentication. */
  readonly allowedHosts: readonly string[];
  readonly livy: LivySettings;
  readonly standalone: StandaloneSettings;
  readonly limits: {
    readonly maxBodyBytes: number;
    /** Open connections: clients that submit together wait until their applications are stored. */
    readonly maxConnections: number;
    readonly maxConcurrentSubmissions: number;
    readonly drainMs: number;
  } & RequestLimits;
  readonly webhooks: readonly Webhook[];
  /** URL of the history server, for links to applications that have ended. */
  readonly historyServer?: string | undefined;
  /** Location of the complete logs of drivers that have ended; `undefined` if they are not kept. */
  readonly logs?: LogLocation | undefined;
  readonly retention: {
    readonly keepMs: number;
    readonly maxEnded: number;
  };
}

/** Settings of the REST protocol of standalone masters. */
export interface StandaloneSettings {
  /** Version of the master that the gateway behaves as. */
  readonly version: SparkVersion;
  /** Key of the signed tokens that clients need; `undefined` if they need none. */
  readonly tokenKey?: Uint8Array | undefined;
  /** A port for this protocol only, without TLS and the gateway's authentication: Spark's clients support neither. */
  readonly listener?: { readonly address: string; readonly port: number } | undefined;
}

/** Server of the Spark UIs, whose pages run code of others: it has an origin of its own. */
export interface UiServer {
  /** 0: any free port. */
  readonly port: number;
  /** Origin under which clients reach it. @default the host of the gateway with the port */
  readonly url: string | undefined;
}

/** PEM files for TLS, which are read again after a change. */
export interface GatewayTls {
  readonly certificate: string;
  readonly key: string;
  /** Authorities of clients' certificates; `undefined`: clients have none. */
  readonly clientAuthorities?: string | undefined;
}

/** Authentication of the clients. */
export type AuthenticationSettings =
  | { readonly kind: "none" }
  /** Certificates of clients only. */
  | { readonly kind: "certificate" }
  /** Tokens of the cluster, which also decides about permissions. */
  | { readonly kind: "kubernetes" }
  /** Tokens and logins of an issuer of OpenID Connect. */
  | ({ readonly kind: "oidc" } & OidcSettings)
  /** User names and passwords of a file of htpasswd. */
  | { readonly kind: "htpasswd"; readonly passwordFile: string };

/** Settings of the protocol of Livy. */
export interface LivySettings {
  /** Rejects changing requests without the header `X-Requested-By`. */
  readonly isCsrfProtected: boolean;
  /** Applications run as their owner or as the user they name. */
  readonly isImpersonating: boolean;
  /** Settings that clients must not set, besides those that the gateway always rejects. */
  readonly rejectedSettings: readonly string[];
  /** Directories whose `file:` URIs are accepted: drivers have them under the same path. */
  readonly localDirectories: readonly string[];
  /** Users who may impersonate others. `*` stands for all users, here and below. */
  readonly superusers: readonly string[];
  /** Users by permission. With `undefined`, all users may do everything. */
  readonly access?: LivyAccess | undefined;
  /** Whether a list contains only batches whose log the user may read. */
  readonly listsOwnBatchesOnly: boolean;
  /** Whether the name of a batch that has ended can be used again. */
  readonly reusesNames: boolean;
  /** Requests that create batches at the same time; `undefined` for any number. */
  readonly maxCreations?: number | undefined;
  /** Prefix of links in pages, for a proxy that removes it; without a slash at its end. */
  readonly uiBasePath: string;
}

/** Users of Livy with permissions for the batches of others. */
export interface LivyAccess {
  /** Users who may delete the batches of others. */
  readonly modifyUsers: readonly string[];
  /** Users who may read the logs of others. */
  readonly viewUsers: readonly string[];
  /** Users who may use the gateway. */
  readonly allowedUsers: readonly string[];
}
