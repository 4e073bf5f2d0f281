import type { Log } from "../../host/log.ts";
import type { AccessBehaviors } from "./access-behaviors.ts";
import type { Account } from "./account.ts";

/** Access data from the user's environment: kubeconfig, service account, variables, and the settings that override them. */
export interface UserAccess {
  readonly kind: "user";
  /** Context of the kubeconfig. @default the current context */
  readonly context?: string | undefined;
  /** Origin of the five fields below, for messages, e.g. `spark.kubernetes.authenticate.submission`. */
  readonly settingPrefix: string;
  readonly caCertFile?: string | undefined;
  readonly clientKeyFile?: string | undefined;
  readonly clientCertFile?: string | undefined;
  readonly oauthToken?: string | undefined;
  readonly oauthTokenFile?: string | undefined;
  readonly trustCertificates: boolean;
  readonly behaviors: AccessBehaviors;
  /** Differences between Spark's release lines. */
  readonly traits: {
    readonly mergesKubeconfigs: boolean;
    readonly unknownContextFallsBack: boolean;
    /** `insecure-skip-tls-verify` counts although `trustCertificates` is false. */
    readonly kubeconfigMayTrustAll: boolean;
    readonly failingExecPluginStops: boolean;
    /** @default true */
    readonly repeatsCutOffRequests?: boolean;
  };
}

/** Context in which an account is read. */
export interface AccountContext {
  /** Server that the account is for. */
  readonly server: URL;
  /** Credentials that the server rejected, if that is the reason. */
  readonly refused?: Account | undefined;
  readonly log: Log;
}
