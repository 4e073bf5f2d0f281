import type { Host } from "../../host/host.ts";
import { type FindProxy, type HttpRequest, httpConnections, readText } from "../../host/http-exchange.ts";
import { proxyFor } from "../../host/proxy/proxy-for.ts";
import { xmlText } from "../xml.ts";
import type { CredentialSource, S3Credentials } from "./credentials.ts";
import { instantOf, parseFetched } from "./fetched.ts";

/** The variables of the environment that the AWS tools know. */
export function environmentSource({ env }: Pick<Host, "env">): CredentialSource {
  return async () => {
    const accessKeyId = env["AWS_ACCESS_KEY_ID"] || env["AWS_ACCESS_KEY"];
    const secretAccessKey = env["AWS_SECRET_ACCESS_KEY"] || env["AWS_SECRET_KEY"];
    if (!accessKeyId || !secretAccessKey) return undefined;
    return { accessKeyId, secretAccessKey, sessionToken: env["AWS_SESSION_TOKEN"] || undefined };
  };
}

/** What takes a token of another authority, e.g. that of a pod's service account. */
export interface WebIdentity {
  readonly roleArn: string;
  readonly tokenFile: string;
  readonly sessionName?: string | undefined;
}

/** The role of a web identity, where the environment names one. */
export function webIdentitySource(host: Host, region: string | undefined): CredentialSource {
  const { env } = host;
  const [roleArn, tokenFile] = [env["AWS_ROLE_ARN"], env["AWS_WEB_IDENTITY_TOKEN_FILE"]];
  return async () => {
    if (!roleArn || !tokenFile) return undefined;
    return assumeByWebIdentity(
      host,
      { roleArn, tokenFile, sessionName: env["AWS_ROLE_SESSION_NAME"] },
      region,
    );
  };
}

/** Exchanges a token for credentials. The token itself is what proves who we are. */
export async function assumeByWebIdentity(
  host: Host,
  { roleArn, tokenFile, sessionName }: WebIdentity,
  region: string | undefined,
): Promise<S3Credentials> {
  const token = host.files.readText(tokenFile)?.trim();
  if (token === undefined) throw new Error(`the token of the web identity is not there: ${tokenFile}`);
  const form = new URLSearchParams({
    Action: "AssumeRoleWithWebIdentity",
    Version: "2011-06-15",
    RoleArn: roleArn,
    RoleSessionName: sessionName || "firesteel",
    WebIdentityToken: token,
  });
  const { status, text } = await askSts(host, {
    method: "POST",
    url: new URL(stsEndpoint(host, region)),
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: Buffer.from(form.toString()),
  });
  return credentialsOfSts(status, text, roleArn);
}

/** Where roles are assumed. */
export function stsEndpoint({ env }: Pick<Host, "env">, region: string | undefined): string {
  const given = env["AWS_ENDPOINT_URL_STS"] || env["AWS_ENDPOINT_URL"];
  return given || `https://sts.${region === undefined ? "" : `${region}.`}amazonaws.com/`;
}

/** The credentials in an answer of STS. */
export function credentialsOfSts(status: number, text: string, roleArn: string): S3Credentials {
  const [accessKeyId, secretAccessKey] = [xmlText(text, "AccessKeyId"), xmlText(text, "SecretAccessKey")];
  if (status !== 200 || accessKeyId === undefined || secretAccessKey === undefined) {
    const reason = [xmlText(text, "Code"), xmlText(text, "Message")].filter((word) => word !== undefined);
    throw new Error(`the role ${roleArn} cannot be assumed: STS answered ${[status, ...reason].join(" ")}`);
  }
  const expiresAtMs = instantOf(xmlText(text, "Expiration"));
  return { accessKeyId, secretAccessKey, sessionToken: xmlText(text, "SessionToken"), expiresAtMs };
}

const ecsAddress = "http://169.254.170.2";

/** The service that containers of ECS and EKS pods get theirs from. */
export function containerSource(host: Host): CredentialSource {
  const { env, files } = host;
  const relative = env["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"];
  const full = env["AWS_CONTAINER_CREDENTIALS_FULL_URI"];
  const address = relative ? `${ecsAddress}${relative}` : full;
  return async () => {
    if (!address) return undefined;
    if (!URL.canParse(address)) throw new Error(`AWS_CONTAINER_CREDENTIALS_FULL_URI is no URL: ${address}`);
    const file = env["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"];
    const token = file ? files.readText(file)?.trim() : env["AWS_CONTAINER_AUTHORIZATION_TOKEN"];
    const headers = token ? { authorization: token } : {};
    const url = new URL(address);
    requireSafe(url);
    const { status, text } = await ask(host, { method: "GET", url, headers });
    if (status !== 200) throw new Error(`${url.origin} answered ${status} instead of credentials`);
    return parseFetched(text, url.origin);
  };
}

/** Credentials in clear text come from this machine alone. */
function requireSafe({ protocol, hostname, origin }: URL): void {
  const isNear = /^(127\.\d+\.\d+\.\d+|localhost|\[::1\]|169\.254\.170\.(2|23)|\[fd00:ec2::23\])$/.test(
    hostname,
  );
  if (protocol === "https:" || isNear) return;
  throw new Error(`credentials are not fetched from ${origin}: it is neither https nor this machine`);
}

const metadataAddress = "http://169.254.169.254";
const metadataPatienceMs = 2000;

/** The metadata service of an EC2 machine, version 2. Where nobody answers soon, there is none. */
export function instanceSource(host: Host): CredentialSource {
  const { env } = host;
  const base = env["AWS_EC2_METADATA_SERVICE_ENDPOINT"] || metadataAddress;
  return async () => {
    if (env["AWS_EC2_METADATA_DISABLED"]?.toLowerCase() === "true") return undefined;
    const ending = new AbortController();
    const cancel = host.clock.after(metadataPatienceMs, () => ending.abort());
    const { signal } = ending;
    const get = async (path: string, headers: Record<string, string>, method = "GET") => {
      const { status, text } = await ask(host, { method, url: new URL(path, base), headers, signal });
      return status === 200 ? text : undefined;
    };
    const fetchCredentials = async () => {
      const life = { "x-aws-ec2-metadata-token-ttl-seconds": "21600", "content-length": "0" };
      const token = await get("/latest/api/token", life, "PUT");
      if (token === undefined) return undefined;
      const headers = { "x-aws-ec2-metadata-token": token };
      const folder = "/latest/meta-data/iam/security-credentials/";
      const role = (await get(folder, headers))?.split("\n")[0]?.trim();
      return role ? get(`${folder}${role}`, headers) : undefined;
    };
    // Where nobody answers there is no such service; what answers must make sense.
    const text = await fetchCredentials()
      .catch(() => undefined)
      .finally(cancel);
    return text === undefined ? undefined : parseFetched(text, base);
  };
}

/** Asks STS, through the proxy of the environment where there is one: the other services are beside this machine. */
export function askSts(
  host: Host,
  request: HttpRequest,
): Promise<{ readonly status: number; readonly text: string }> {
  return ask(host, request, (server) => proxyFor(server, host.env));
}

/** One request and its whole answer. */
async function ask(
  { clock }: Pick<Host, "clock">,
  request: HttpRequest,
  findProxy?: FindProxy,
): Promise<{ readonly status: number; readonly text: string }> {
  const connections = httpConnections({ clock, findProxy });
  try {
    const { body, headers } = request;
    const length = body instanceof Uint8Array ? { "content-length": body.length } : {};
    const answer = await connections.send({ ...request, headers: { ...headers, ...length } });
    return { status: answer.status, text: await readText(answer, 1024 * 1024) };
  } finally {
    connections.close();
  }
}
