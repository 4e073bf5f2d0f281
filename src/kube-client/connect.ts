import { type SubmitError, submitError } from "../errors/submit-error.ts";
import { printServer } from "../host/address.ts";
import type { Host } from "../host/host.ts";
import type { Transport } from "../kube/transport.ts";
import { proxyFor } from "../net/proxy/proxy-for.ts";
import type { Account } from "./auth/account.ts";
import { type CredentialRequest, withCredentials } from "./auth/credentials.ts";
import { readPem } from "./auth/pem.ts";
import type { AccountContext, UserAccess } from "./auth/user-access.ts";
import { readUserAccount } from "./auth/user-account.ts";
import { type KubeClient, kubeClient } from "./client.ts";
import type { ConnectOptions, KnownAccess, OpenTransport } from "./connect-options.ts";
import { httpTransport } from "./http.ts";
import { type RepeatsCutOff, retryPolicy } from "./retry.ts";
import type { TlsSettings } from "./tls-settings.ts";
import { unrepeatedLog } from "./unrepeated-log.ts";

/**
 * Creates a client of an API. Sends no request.
 *
 * Source: Spark SparkKubernetesClientFactory and its Kubernetes client library; recorded with Spark 3.5.9 to 4.3.0.
 *
 * @throws SUBMIT_ERR_KUBE_AUTH_…, SUBMIT_ERR_KUBE_CONFIG, SUBMIT_ERR_KUBE_PROXY
 *
 * @example
 * ```ts
 * const client = await connect(nodeHost(), connection);
 * client.close();
 * ```
 */
export async function connect(
  host: Host,
  options: ConnectOptions,
  openTransport: OpenTransport = httpTransport,
): Promise<KubeClient> {
  const { access, log, requestTimeoutMs, connectionTimeoutMs } = options;
  const { clock } = host;
  if (access.kind === "user") log("INFO", "SparkKubernetesClientFactory", configuring(access));
  if (!URL.canParse(options.server)) {
    const { clientOfNoAddress } = await import("./no-address.ts");
    return clientOfNoAddress(host, options);
  }
  const server = new URL(options.server);
  const account = await accountOf(host, access, { server, log });
  const proxy = access.kind === "known" ? undefined : await userProxy(host, server, access, account);
  const quietLog = unrepeatedLog(log, clock);
  const credentialRequest: CredentialRequest = {
    clock,
    log: quietLog,
    read: (refused) => accountOf(host, access, { server, refused, log: () => {} }),
    toTls: (read) => toTls(host, access, read),
    open: async (tls) => {
      const opened = await openTransport({ server, clock, connectionTimeoutMs, proxy, tls });
      return access.kind === "user" ? opened : { ...opened, transport: whileRunning(opened.transport, access) };
    },
  };
  return kubeClient({
    ...(await withCredentials(credentialRequest, account)),
    server: printServer(server),
    defaultNamespace: account.namespace,
    clock,
    log: quietLog,
    requestTimeoutMs,
    retry: {
      ...retryPolicy(host, access.kind === "user" ? access.behaviors : { requestRetries: "byReason" }),
      repeatsCutOff: repeatsCutOff(access),
    },
    writesNamesRaw: access.kind === "user" && access.behaviors.resourceNames === "spark",
  });
}

/**
 * Fails reads with the reason that the server's process has ended, which no retry resolves. Writes keep their own error: it shows
 * whether they may have taken effect.
 */
function whileRunning(transport: Transport, { requireRunning = () => {} }: KnownAccess): Transport {
  return async (request) => {
    try {
      return await transport(request);
    } catch (error) {
      if (request.method === "GET" && request.signal?.aborted !== true) requireRunning();
      throw error;
    }
  };
}

function repeatsCutOff(access: UserAccess | KnownAccess): RepeatsCutOff {
  if (access.kind === "known" || access.behaviors.requestRetries === "byReason") return "unlessPost";
  return (access.traits.repeatsCutOffRequests ?? true) ? "always" : "never";
}

function configuring({ context = "" }: UserAccess): string {
  const which = context === "" ? "current context" : `context ${context}`;
  return `Auto-configuring K8S client using ${which} from users K8S config file`;
}

async function accountOf(
  host: Host,
  access: UserAccess | KnownAccess,
  accountContext: AccountContext,
): Promise<Account> {
  if (access.kind === "user") return readUserAccount(host, access, accountContext);
  return { authority: [{ data: access.authority }], token: access.token };
}

function userProxy(host: Host, server: URL, { behaviors }: UserAccess, { proxy }: Account) {
  return proxyFor(server, host.env, { fromKubeconfig: proxy, rules: behaviors.proxy });
}

function toTls({ files }: Host, access: UserAccess | KnownAccess, account: Account): TlsSettings {
  const certificate = readPem(files, "client certificate", account.certificate ?? []);
  const key = readPem(files, "client key", account.key ?? []);
  const isHalf = (certificate === undefined) !== (key === undefined);
  if (isHalf && access.kind === "user" && access.behaviors.credentials === "kubectl")
    throw halfCertificate(certificate === undefined);
  return {
    authority: readPem(files, "certificate authority", account.authority ?? []),
    certificate,
    key,
    keyPassphrase: account.keyPassphrase,
    trustsAll: account.trustsAll ?? false,
    ignoresHostName: account.ignoresHostName ?? false,
    serverName: account.serverName,
  };
}

function halfCertificate(isKeyAlone: boolean): SubmitError {
  const [what, missing] = isKeyAlone
    ? (["client key", "client certificate"] as const)
    : (["client certificate", "client key"] as const);
  return submitError("SUBMIT_ERR_KUBE_AUTH_PEM", { what, reason: `there is no ${missing} to it` });
}
