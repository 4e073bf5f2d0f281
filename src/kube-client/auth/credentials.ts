import { messageOf, submitError } from "../../errors/submit-error.ts";
import type { Clock } from "../../host/host.ts";
import type { Log } from "../../host/log.ts";
import type { ApiRequest, ApiResponse, Transport } from "../../kube/transport.ts";
import type { HttpTransport, OpenSession } from "../http.ts";
import { discard } from "../lines.ts";
import type { TlsSettings } from "../tls-settings.ts";
import type { Account } from "./account.ts";
import type { ImpersonationHeaders } from "./impersonation.ts";
import { isTokenText } from "./token-text.ts";

/** Credentials of an API client, and its connection. */
export interface CredentialRequest {
  readonly clock: Clock;
  readonly log: Log;
  /** Reads the current account. `refused` is the account that the API did not accept. */
  readonly read: (refused?: Account) => Promise<Account>;
  readonly toTls: (account: Account) => TlsSettings;
  readonly open: (tls: TlsSettings) => Promise<HttpTransport>;
}

/** Headers of an account. Without impersonation, none is repeated. */
type AccountHeaders = Pick<ImpersonationHeaders, "headers"> & Partial<ImpersonationHeaders>;

/** An account in use. */
interface ActiveAccount {
  readonly account: Account;
  readonly headers: AccountHeaders;
  readonly tls: TlsSettings;
  readonly connection: HttpTransport;
}

const rereadMs = 60_000;

/**
 * Adds credentials to requests. Reads the account again each minute, when it expires, and once when the API rejects
 * it: service accounts, kubeconfigs and programs provide new tokens and certificates while a driver runs.
 *
 * @param first the account at the start
 */
export async function withCredentials(options: CredentialRequest, first: Account): Promise<HttpTransport> {
  const { clock } = options;
  let current = await activate(options, first);
  const connections = new Set([current.connection]);
  let readAt = clock.monotonic();
  let renewing: Promise<void> | undefined;
  const renew = async (refused?: ActiveAccount) => {
    readAt = clock.monotonic();
    try {
      const account = await options.read(refused?.account);
      // An editor may be writing the file, or a job may have removed its own.
      if (hasCredentials(current.account) && !hasCredentials(account)) throw new Error("None are found any more.");
      current = await activate(options, account, current);
      connections.add(current.connection);
    } catch (error) {
      // The file may be incomplete, or a program may have no network. The known credentials may still be valid.
      options.log("WARN", "KubernetesClient", `The credentials stay as they are. ${messageOf(error)}`);
    }
  };
  const renewOnce = (refused?: ActiveAccount) => {
    renewing ??= renew(refused).finally(() => {
      renewing = undefined;
    });
    return renewing;
  };
  const isDue = () => clock.monotonic() - readAt > rereadMs || clock.now() >= (current.account.validUntil ?? Infinity);
  const activeAccount = async () => {
    if (renewing !== undefined || isDue()) await renewOnce();
    return current;
  };
  const transport: Transport = async (request) => {
    const used = await activeAccount();
    const response = await send(used, request);
    if (response.status !== 401) return response;
    if (used === current) await renewOnce(used);
    if (!differs(current, used)) return explainUnauthorized(options, used, response);
    await discard(response.body);
    return send(current, request);
  };
  const close = () => {
    for (const { close: closeConnection } of connections) closeConnection();
  };
  // No retry after a 401: callers have just sent another request, which renewed the credentials.
  const openSession: OpenSession = async (request) => {
    const { connection, headers } = await activeAccount();
    if (connection.openSession === undefined) throw new Error("this connection cannot open a session");
    return connection.openSession({ ...request, ...withHeaders(request, headers) });
  };
  return { transport, openSession, close };
}

async function activate(
  { toTls, open }: CredentialRequest,
  account: Account,
  last?: ActiveAccount,
): Promise<ActiveAccount> {
  const tls = toTls(account);
  const isSame = last !== undefined && JSON.stringify(tls) === JSON.stringify(last.tls);
  return {
    account,
    headers: await toHeaders(account),
    tls,
    connection: isSame ? last.connection : await open(tls),
  };
}

function hasCredentials({ basic, token = "", certificate = [] }: Account): boolean {
  return basic !== undefined || token !== "" || certificate.some(({ data, file }) => Boolean(data || file));
}

function send({ connection, headers }: ActiveAccount, request: ApiRequest): Promise<ApiResponse> {
  return connection.transport({ ...request, ...withHeaders(request, headers) });
}

function withHeaders(request: ApiRequest, added: AccountHeaders): AccountHeaders {
  return { ...added, headers: { ...request.headers, ...added.headers } };
}

function differs(one: ActiveAccount, other: ActiveAccount): boolean {
  return one.connection !== other.connection || JSON.stringify(one.headers) !== JSON.stringify(other.headers);
}

/** Logs credentials that have expired, and returns the response. */
async function explainUnauthorized(
  { clock, log }: CredentialRequest,
  { account, tls }: ActiveAccount,
  response: ApiResponse,
): Promise<ApiResponse> {
  const { expiredCredentials } = await import("./expired-credentials.ts");
  for (const text of expiredCredentials(account, tls, clock.now())) log("WARN", "KubernetesClient", text);
  return response;
}

async function toHeaders(account: Account): Promise<AccountHeaders> {
  const headers = authorization(account);
  if (account.impersonation === undefined) return { headers };
  const { impersonationHeaders } = await import("./impersonation.ts");
  const other = impersonationHeaders(account.impersonation);
  return { ...other, headers: { ...headers, ...other.headers } };
}

function authorization({ basic, token }: Account): Readonly<Record<string, string>> {
  if (basic !== undefined) {
    const pair = Buffer.from(`${basic.user}:${basic.password}`).toString("base64");
    return { authorization: `Basic ${pair}` };
  }
  if (token === undefined || token === "") return {};
  if (!isTokenText(token)) throw submitError("SUBMIT_ERR_KUBE_AUTH_TOKEN", {});
  return { authorization: `Bearer ${token}` };
}
