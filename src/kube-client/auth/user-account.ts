import { submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { Log } from "../../host/log.ts";
import type { AccessBehaviors } from "./access-behaviors.ts";
import type { Account } from "./account.ts";
import { type Kubeconfig, readKubeconfig } from "./kubeconfig.ts";
import type { Entry } from "./kubeconfig-file.ts";
import { type PemSource, readCredential } from "./pem.ts";
import { readServiceAccount } from "./service-account.ts";
import type { AccountContext, UserAccess } from "./user-access.ts";

/**
 * Reads the account of a user. Settings beat the environment, which beats the kubeconfig or, without one, the service
 * account of the pod that Firesteel runs in.
 *
 * @throws SUBMIT_ERR_KUBE_AUTH_…, SUBMIT_ERR_KUBE_CONFIG, SUBMIT_ERR_KUBE_CONTEXT
 */
export async function readUserAccount(
  host: Host,
  access: UserAccess,
  accountContext: AccountContext,
): Promise<Account> {
  const token = settingToken(host, access);
  const environment = await readNamedAccess(host.env);
  const { account: found, cluster, user } = await readBaseAccount(host, access, accountContext.log);
  const { caCertFile, clientCertFile, clientKeyFile, traits, behaviors } = access;
  const othersTrustAll = environment.trustsAll === true || found.trustsAll === true;
  const account: Account = {
    ...found,
    namespace: environment.namespace ?? found.namespace,
    authority: selectSources(behaviors, [{ file: caCertFile }], environment.authority, found.authority),
    certificate: selectSources(behaviors, [{ file: clientCertFile }], environment.certificate, found.certificate),
    key: selectSources(behaviors, [{ file: clientKeyFile }], environment.key, found.key),
    keyPassphrase: environment.keyPassphrase,
    token: token ?? environment.token ?? found.token,
    basic: environment.basic ?? found.basic,
    trustsAll: access.trustCertificates || (traits.kubeconfigMayTrustAll && othersTrustAll),
    ignoresHostName: environment.ignoresHostName ?? false,
    impersonation: environment.impersonation,
  };
  if (user === undefined || !hasFurtherSources(user)) return account;
  const { resolveCredentials } = await import("./resolve-credentials.ts");
  const isTokenOverruled = token !== undefined || environment.token !== undefined;
  return resolveCredentials(host, access, { account, cluster, user, isTokenOverruled, accountContext });
}

/** Variables of `readEnvironment`. Pods have others, such as KUBERNETES_SERVICE_HOST. */
const accessVariable = /^KUBERNETES_(?:AUTH|CERTS|DISABLE|IMPERSONATE|NAMESPACE|TRUST)/;

/** Most environments have no such variables and need not load their parser. */
async function readNamedAccess(env: Host["env"]): Promise<Account> {
  if (!Object.keys(env).some((name) => accessVariable.test(name))) return {};
  const { readEnvironment } = await import("./environment.ts");
  return readEnvironment(env);
}

/** Returns whether a kubeconfig's user has credentials beyond inline ones. */
function hasFurtherSources(user: Entry): boolean {
  return ["exec", "auth-provider", "tokenFile", "as", "as-uid", "as-groups", "as-user-extra"].some(
    (key) => user.value(key) !== undefined,
  );
}

async function readBaseAccount(host: Host, access: UserAccess, log: Log): Promise<Kubeconfig> {
  const { mergesKubeconfigs, unknownContextFallsBack } = access.traits;
  const { context, behaviors } = access;
  const kubeconfig = isAllowed(host.env["KUBERNETES_AUTH_TRYKUBECONFIG"])
    ? await readKubeconfig(host, {
        context,
        rules: behaviors.kubeconfig,
        mergesFiles: mergesKubeconfigs,
        unknownContextFallsBack,
        log,
      })
    : undefined;
  if (kubeconfig !== undefined) return kubeconfig;
  const isTried = isAllowed(host.env["KUBERNETES_AUTH_TRYSERVICEACCOUNT"]);
  return { account: isTried ? (readServiceAccount(host.files) ?? {}) : {} };
}

function settingToken({ files }: Host, access: UserAccess): string | undefined {
  const { oauthToken, oauthTokenFile, settingPrefix, behaviors } = access;
  if (oauthTokenFile === undefined) return oauthToken;
  if (oauthToken !== undefined) throw submitError("SUBMIT_ERR_KUBE_AUTH_CONFLICT", { prefix: settingPrefix });
  const text = readCredential(files, "token file", oauthTokenFile);
  return behaviors.credentials === "spark" ? text : text.trim();
}

/**
 * Selects the sources of a certificate or key: those of the most important origin that has any. Spark's client uses the sources
 * of all origins, so that data in a kubeconfig beats the file of a setting.
 */
function selectSources(
  { credentials }: Pick<AccessBehaviors, "credentials">,
  ...origins: readonly (readonly PemSource[] | undefined)[]
): readonly PemSource[] {
  if (credentials === "spark") return origins.flatMap((sources) => sources ?? []);
  return origins.find((sources) => sources?.some(({ data, file }) => data || file)) ?? [];
}

/** Returns whether a variable allows a source of accounts: every value but `false` does. */
function isAllowed(text: string | undefined): boolean {
  return text?.trim().toLowerCase() !== "false";
}
