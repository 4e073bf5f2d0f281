import type { Host } from "../../host/host.ts";
import { type FindProxy, type HttpRequest, httpConnections, readText } from "../../net/http-connections.ts";
import { proxyFor } from "../../net/proxy/proxy-for.ts";
import { parseS3Xml, textOf } from "../xml.ts";
import type { CredentialSource, S3Credentials } from "./credentials.ts";
import { instantOf, parseFetched } from "./fetched.ts";

/** Credentials from the environment variables of the AWS tools. */
export function environmentSource({ env }: Pick<Host, "env">): CredentialSource {
  return async () => {
    const accessKeyId = env["AWS_ACCESS_KEY_ID"] || env["AWS_ACCESS_KEY"];
    const secretAccessKey = env["AWS_SECRET_ACCESS_KEY"] || env["AWS_SECRET_KEY"];
    if (!accessKeyId || !secretAccessKey) return undefined;
    return { accessKeyId, secretAccessKey, sessionToken: env["AWS_SESSION_TOKEN"] || undefined };
  };
}

/** Role to assume with a token from another identity provider, e.g. of a pod's service account. */
interface WebIdentity {
  readonly roleArn: string;
  readonly tokenFile: string;
  readonly sessionName?: string | undefined;
}

/** Credentials of a web identity's role, when the environment names one. */
export function webIdentitySource(host: Host, region: string | undefined): CredentialSource {
  const { env } = host;
  const [roleArn, tokenFile] = [env["AWS_ROLE_ARN"], env["AWS_WEB_IDENTITY_TOKEN_FILE"]];
  return async () => {
    if (!roleArn || !tokenFile) return undefined;
    return assumeByWebIdentity(host, { roleArn, tokenFile, sessionName: env["AWS_ROLE_SESSION_NAME"] }, region);
  };
}

/** Exchanges a token for credentials. The request is not signed: the token is the proof of identity. */
export async function assumeByWebIdentity(
  host: Host,
  { roleArn, tokenFile, sessionName }: WebIdentity,
  region: string | undefined,
): Promise<S3Credentials> {
  const token = host.files.readText(tokenFile)?.trim();
  if (token === undefined) throw new Error(`the web identity token file does not exist: ${tokenFile}`);
  const form = new URLSearchParams({
    Action: "AssumeRoleWithWebIdentity",
    Version: "2011-06-15",
    RoleArn: roleArn,
    RoleSessionName: sessionName || "firesteel",
    WebIdentityToken: token,
  });
  const { status, text } = await callSts(host, {
    method: "POST",
    url: new URL(stsEndpoint(host, region)),
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: Buffer.from(form.toString()),
  });
  return credentialsOfSts(status, text, roleArn);
}

/** Returns the STS endpoint. */
export function stsEndpoint({ env }: Pick<Host, "env">, region: string | undefined): string {
  const configured = env["AWS_ENDPOINT_URL_STS"] || env["AWS_ENDPOINT_URL"];
  return configured || `https://sts.${region === undefined ? "" : `${region}.`}amazonaws.com/`;
}

/** Parses the credentials in an STS response. */
export function credentialsOfSts(status: number, text: string, roleArn: string): S3Credentials {
  const xml = parseS3Xml(text);
  const [accessKeyId, secretAccessKey] = [textOf(xml, "AccessKeyId"), textOf(xml, "SecretAccessKey")];
  if (status !== 200 || accessKeyId === undefined || secretAccessKey === undefined) {
    const reason = [textOf(xml, "Code"), textOf(xml, "Message")].filter((detail) => detail !== undefined);
    throw new Error(`the role ${roleArn} cannot be assumed: STS responded with ${[status, ...reason].join(" ")}`);
  }
  const expiresAtMs = instantOf(textOf(xml, "Expiration"));
  return { accessKeyId, secretAccessKey, sessionToken: textOf(xml, "SessionToken"), expiresAtMs };
}

const ecsAddress = "http://169.254.170.2";

/** Credentials from the endpoint that serves ECS containers and EKS pods. */
export function containerSource(host: Host): CredentialSource {
  const { env, files } = host;
  const relative = env["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"];
  const full = env["AWS_CONTAINER_CREDENTIALS_FULL_URI"];
  const address = relative ? `${ecsAddress}${relative}` : full;
  return async () => {
    if (!address) return undefined;
    if (!URL.canParse(address)) throw new Error(`AWS_CONTAINER_CREDENTIALS_FULL_URI is not a URL: ${address}`);
    const file = env["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"];
    const token = file ? files.readText(file)?.trim() : env["AWS_CONTAINER_AUTHORIZATION_TOKEN"];
    const headers = token ? { authorization: token } : {};
    const url = new URL(address);
    requireSafe(url);
    const { status, text } = await sendRequest(host, { method: "GET", url, headers });
    if (status !== 200) throw new Error(`${url.origin} responded with ${status} instead of credentials`);
    return parseFetched(text, url.origin);
  };
}

/** Requires HTTPS, except for services on this machine. */
function requireSafe({ protocol, hostname, origin }: URL): void {
  const isNear = /^(127\.\d+\.\d+\.\d+|localhost|\[::1\]|169\.254\.170\.(2|23)|\[fd00:ec2::23\])$/.test(hostname);
  if (protocol === "https:" || isNear) return;
  throw new Error(`credentials are not fetched from ${origin}: it is neither https nor on this machine`);
}

const metadataAddress = "http://169.254.169.254";
const metadataTimeoutMs = 2000;

/** Credentials from the EC2 metadata service, version 2. A timeout means that the service does not exist. */
export function instanceSource(host: Host): CredentialSource {
  const { env } = host;
  const base = env["AWS_EC2_METADATA_SERVICE_ENDPOINT"] || metadataAddress;
  return async () => {
    if (env["AWS_EC2_METADATA_DISABLED"]?.toLowerCase() === "true") return undefined;
    const ending = new AbortController();
    const cancel = host.clock.after(metadataTimeoutMs, () => ending.abort());
    const { signal } = ending;
    const get = async (path: string, headers: Record<string, string>, method = "GET") => {
      const { status, text } = await sendRequest(host, { method, url: new URL(path, base), headers, signal });
      return status === 200 ? text : undefined;
    };
    const fetchCredentials = async () => {
      const lifetimeHeaders = { "x-aws-ec2-metadata-token-ttl-seconds": "21600", "content-length": "0" };
      const token = await get("/latest/api/token", lifetimeHeaders, "PUT");
      if (token === undefined) return undefined;
      const headers = { "x-aws-ec2-metadata-token": token };
      const directory = "/latest/meta-data/iam/security-credentials/";
      const role = (await get(directory, headers))?.split("\n")[0]?.trim();
      return role ? get(`${directory}${role}`, headers) : undefined;
    };
    // An unreachable service does not exist. A service that responds must return valid credentials.
    const text = await fetchCredentials()
      .catch(() => undefined)
      .finally(cancel);
    return text === undefined ? undefined : parseFetched(text, base);
  };
}

/** Calls STS through the proxy of the environment. The other services are local and need no proxy. */
export function callSts(host: Host, request: HttpRequest): Promise<{ readonly status: number; readonly text: string }> {
  return sendRequest(host, request, (server) => proxyFor(server, host.env));
}

/** Sends one request and reads the complete response. */
async function sendRequest(
  { clock }: Pick<Host, "clock">,
  request: HttpRequest,
  findProxy?: FindProxy,
): Promise<{ readonly status: number; readonly text: string }> {
  const connections = httpConnections({ clock, findProxy });
  try {
    const { body, headers } = request;
    const length = body instanceof Uint8Array ? { "content-length": body.length } : {};
    const response = await connections.send({ ...request, headers: { ...headers, ...length } });
    return { status: response.status, text: await readText(response, 1024 * 1024) };
  } finally {
    connections.close();
  }
}
