import { messageOf, submitError } from "../../errors/submit-error.ts";
import type { Clock } from "../../host/host.ts";
import type { Log } from "../../host/log.ts";
import type { ApiRequest, ApiResponse, Transport } from "../../kube/transport.ts";
import type { HttpTransport, OpenSession } from "../http.ts";
import { readText } from "../lines.ts";
import type { TlsSettings } from "../tls.ts";
import type { Account } from "./account.ts";
import type { ImpersonationHeaders } from "./impersonation.ts";

/** Credentials of an API client, and its connection. */
export interface CredentialRequest {
  readonly clock: Clock;
  readonly log: Log;
  /** The account as it is now; `refused` is what the API did not accept. */
  readonly read: (refused?: Account) => Promise<Account>;
  readonly toTls: (account: Account) => TlsSettings;
  readonly open: (tls: TlsSettings) => Promise<HttpTransport>;
}

/** An account in use. */
interface ActiveAccount {
  readonly account: Account;
  readonly headers: ImpersonationHeaders;
  readonly tls: TlsSettings;
  readonly way: HttpTransport;
}

const rereadMs = 60_000;

// RFC 9110, 5.5: visible characters and blanks.
const headerText = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * A transport that says who asks. The account is read again each minute, when it ends, and once more when the API does
 * not accept it: service accounts, kubeconfigs and programs give new tokens and certificates while a driver runs.
 *
 * @param first as it was read to begin with
 */
export async function withCredentials(asking: CredentialRequest, first: Account): Promise<HttpTransport> {
  const { clock } = asking;
  let current = await stand(asking, first);
  const ways = new Set([current.way]);
  let readAt = clock.monotonic();
  let renewing: Promise<void> | undefined;
  const renew = async (refused?: ActiveAccount) => {
    readAt = clock.monotonic();
    try {
      const account = await asking.read(refused?.account);
      // An editor may be writing the file just now, or a job has removed its own.
      if (isSomebody(current.account) && !isSomebody(account)) throw new Error("None are found any more.");
      current = await stand(asking, account, current);
      ways.add(current.way);
    } catch (error) {
      // A file that is being written, a program without network: what is known may still do.
      asking.log("WARN", "KubernetesClient", `The credentials stay as they are. ${messageOf(error)}`);
    }
  };
  const renewOnce = (refused?: ActiveAccount) => {
    renewing ??= renew(refused).finally(() => {
      renewing = undefined;
    });
    return renewing;
  };
  const isDue = () =>
    clock.monotonic() - readAt > rereadMs || clock.now() >= (current.account.validUntil ?? Infinity);
  const now = async () => {
    if (renewing !== undefined || isDue()) await renewOnce();
    return current;
  };
  const transport: Transport = async (request) => {
    const used = await now();
    const response = await send(used, request);
    if (response.status !== 401) return response;
    if (used === current) await renewOnce(used);
    if (!isOther(current, used)) return refusedResponse(asking, used, response);
    await readText(response.body);
    return send(current, request);
  };
  const close = () => {
    for (const { close: closeWay } of ways) closeWay();
  };
  // Whoever opens one has asked the API for something else just before: what it accepted is renewed already.
  const openSession: OpenSession = async (request) => {
    const { way, headers } = await now();
    if (way.openSession === undefined) throw new Error("no session can be opened on this way");
    return way.openSession({ ...request, ...asked(request, headers) });
  };
  return { transport, openSession, close };
}

async function stand(
  { toTls, open }: CredentialRequest,
  account: Account,
  last?: ActiveAccount,
): Promise<ActiveAccount> {
  const tls = toTls(account);
  const isSame = last !== undefined && JSON.stringify(tls) === JSON.stringify(last.tls);
  return { account, headers: await toHeaders(account), tls, way: isSame ? last.way : await open(tls) };
}

function isSomebody({ basic, token = "", certificate = [] }: Account): boolean {
  return basic !== undefined || token !== "" || certificate.some(({ data, file }) => Boolean(data || file));
}

function send({ way, headers }: ActiveAccount, request: ApiRequest): Promise<ApiResponse> {
  return way.transport({ ...request, ...asked(request, headers) });
}

function asked(
  request: ApiRequest,
  { headers, repeatedHeaders }: ImpersonationHeaders,
): ImpersonationHeaders {
  return { headers: { ...request.headers, ...headers }, repeatedHeaders };
}

function isOther(one: ActiveAccount, other: ActiveAccount): boolean {
  return one.way !== other.way || JSON.stringify(one.headers) !== JSON.stringify(other.headers);
}

/** The refusal as it is, after a word about credentials that are out of date. */
async function refusedResponse(
  { clock, log }: CredentialRequest,
  { account, tls }: ActiveAccount,
  response: ApiResponse,
): Promise<ApiResponse> {
  const { expiredCredentials } = await import("./expired-credentials.ts");
  for (const text of expiredCredentials(account, tls, clock.now())) log("WARN", "KubernetesClient", text);
  return response;
}

async function toHeaders(account: Account): Promise<ImpersonationHeaders> {
  const headers = authorization(account);
  if (account.impersonation === undefined) return { headers, repeatedHeaders: {} };
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
  if (!headerText.test(token)) throw submitError("SUBMIT_ERR_KUBE_AUTH_TOKEN", {});
  return { authorization: `Bearer ${token}` };
}
