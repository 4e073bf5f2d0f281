import { submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { Log } from "../../host/log.ts";
import { readKubeconfig } from "../kubeconfig.ts";
import type { Account } from "./account.ts";
import { isAllowed, readEnvironment } from "./environment.ts";
import { type PemSource, readCredential } from "./pem.ts";
import { readServiceAccount } from "./service-account.ts";

/** Found in the user's surroundings: kubeconfig, service account, environment, and the settings that overrule them. */
export interface UserAccess {
  readonly kind: "user";
  /** Of the kubeconfig. @default its current context */
  readonly context?: string | undefined;
  /** Where the five below were set, for messages, e.g. `spark.kubernetes.authenticate.submission`. */
  readonly settingPrefix: string;
  readonly caCertFile?: string | undefined;
  readonly clientKeyFile?: string | undefined;
  readonly clientCertFile?: string | undefined;
  readonly oauthToken?: string | undefined;
  readonly oauthTokenFile?: string | undefined;
  readonly trustCertificates: boolean;
  /** What the release lines of Spark do otherwise. */
  readonly behaviour: {
    readonly mergesKubeconfigs: boolean;
    readonly unknownContextFallsBack: boolean;
    /** `insecure-skip-tls-verify` counts although `trustCertificates` is false. */
    readonly kubeconfigMayTrustAll: boolean;
  };
}

/**
 * The account of a user: settings beat the environment, which beats the kubeconfig or, where there is none, the service
 * account of the pod that we run in.
 *
 * @throws SUBMIT_ERR_KUBE_AUTH_…, SUBMIT_ERR_KUBE_CONFIG
 */
export async function readUserAccount(host: Host, access: UserAccess, log: Log): Promise<Account> {
  const token = settingToken(host, access);
  const environment = readEnvironment(host.env);
  const found = await readSurroundings(host, access, log);
  const { caCertFile, clientCertFile, clientKeyFile, behaviour } = access;
  const othersTrustAll = environment.trustsAll === true || found.trustsAll === true;
  return {
    ...found,
    namespace: environment.namespace ?? found.namespace,
    authority: [{ file: caCertFile }, ...sources(environment.authority), ...sources(found.authority)],
    certificate: [
      { file: clientCertFile },
      ...sources(environment.certificate),
      ...sources(found.certificate),
    ],
    key: [{ file: clientKeyFile }, ...sources(environment.key), ...sources(found.key)],
    keyPassphrase: environment.keyPassphrase,
    token: token ?? environment.token ?? found.token,
    basic: environment.basic ?? found.basic,
    trustsAll: access.trustCertificates || (behaviour.kubeconfigMayTrustAll && othersTrustAll),
    ignoresHostName: environment.ignoresHostName ?? false,
  };
}

async function readSurroundings(host: Host, access: UserAccess, log: Log): Promise<Account> {
  const { mergesKubeconfigs, unknownContextFallsBack } = access.behaviour;
  const { env, files } = host;
  const kubeconfig = isAllowed(env["KUBERNETES_AUTH_TRYKUBECONFIG"])
    ? await readKubeconfig(host, {
        context: access.context,
        mergesFiles: mergesKubeconfigs,
        unknownContextFallsBack,
        log,
      })
    : undefined;
  if (kubeconfig !== undefined) return kubeconfig;
  return isAllowed(env["KUBERNETES_AUTH_TRYSERVICEACCOUNT"]) ? (readServiceAccount(files) ?? {}) : {};
}

function settingToken({ files }: Host, access: UserAccess): string | undefined {
  const { oauthToken, oauthTokenFile, settingPrefix } = access;
  if (oauthTokenFile === undefined) return oauthToken;
  if (oauthToken !== undefined) throw submitError("SUBMIT_ERR_KUBE_AUTH_TWICE", { prefix: settingPrefix });
  return readCredential(files, "token file", oauthTokenFile);
}

function sources(given: readonly PemSource[] | undefined): readonly PemSource[] {
  return given ?? [];
}
