import { basicAuthorization } from "../net/basic-authorization.ts";
import { followRedirects, type RedirectPolicy } from "../net/follow-redirects.ts";
import { type HttpRequest, type HttpResponse, readText } from "../net/http-connections.ts";
import { type Fields, isFields } from "../values/fields.ts";
import type { PullCredentials } from "./pull-credentials.ts";

/** An image in a registry. */
export interface RegistryImage {
  /** With its registry, e.g. `docker.io/library/spark`. */
  readonly repository: string;
  /** Tag or digest. */
  readonly reference: string;
}

/** Sends a request to a registry. */
export type SendToRegistry = (request: HttpRequest) => Promise<HttpResponse>;

/** More than any manifest: the distribution project accepts 4 MiB. */
const maxBytes = 4 * 1024 * 1024;

/** Media types of manifests and indexes. */
export const manifestTypes = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

/** State of the requests about an image. */
export interface Session {
  readonly send: SendToRegistry;
  readonly credentials: PullCredentials | undefined;
  readonly base: URL;
  /** Set after the registry has asked for it. */
  authorization: string | undefined;
}

/** Starts the requests about an image, without any credentials until the registry asks for them. */
export function openSession(
  send: SendToRegistry,
  image: RegistryImage,
  credentials: PullCredentials | undefined,
): Session {
  return { send, credentials, base: baseUrl(image), authorization: undefined };
}

/** Returns the URL of a repository. A registry on a loopback address speaks HTTP, as container runtimes assume. */
function baseUrl({ repository }: RegistryImage): URL {
  const slash = repository.indexOf("/");
  const registry = repository.slice(0, slash);
  const host = registry === "docker.io" ? "registry-1.docker.io" : registry;
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host);
  return new URL(`${isLoopback ? "http" : "https"}://${host}/v2/${repository.slice(slash + 1)}/`);
}

/** Status and JSON of a response. */
export interface RegistryResponse {
  readonly status: number;
  readonly content: Fields;
}

/** Gets a part of the repository, and logs in if the registry asks for it. @throws Error if the registry cannot be reached or understood */
export async function get(session: Session, path: string, accept: string): Promise<RegistryResponse> {
  const first = await request(session, path, accept);
  if (first.status !== 401 || session.authorization !== undefined) return read(first);
  first.close();
  session.authorization = await authorize(session, first.headers["www-authenticate"] ?? "");
  return session.authorization === undefined
    ? { status: 401, content: {} }
    : read(await request(session, path, accept));
}

const redirects: RedirectPolicy = {
  maxRedirects: 5,
  reject: ({ kind, to }) =>
    new Error(kind === "tooMany" ? "it redirects more than 5 times" : `it redirects to ${to.protocol.slice(0, -1)}`),
};

function request({ send, base, authorization }: Session, path: string, accept: string): Promise<HttpResponse> {
  return followRedirects(new URL(path, base), redirects, (url) => {
    // Registries redirect to file stores, which do not get the credentials.
    const own = url.origin === base.origin && authorization !== undefined ? { authorization } : {};
    return send({ method: "GET", url, headers: { accept, ...own } });
  });
}

async function read(response: HttpResponse): Promise<RegistryResponse> {
  const { status } = response;
  if (status !== 200) {
    response.close();
    return { status, content: {} };
  }
  const content: unknown = JSON.parse(await readText(response, maxBytes));
  if (!isFields(content)) throw new Error("the response is not a JSON object");
  return { status, content };
}

/** Returns the authorization that a registry asks for; `undefined` if it rejects the credentials. */
async function authorize(session: Session, challenge: string): Promise<string | undefined> {
  const { credentials } = session;
  const basic = credentials && basicAuthorization(credentials.username, credentials.password);
  if (/^basic\b/i.test(challenge)) return basic;
  const parameters = new Map(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name.toLowerCase(), value]),
  );
  const realm = parameters.get("realm") ?? "";
  if (!/^bearer\b/i.test(challenge) || !URL.canParse(realm)) return undefined;
  const url = new URL(realm);
  // A server of tokens gets the password, so it must be as secure as the registry.
  if (url.protocol !== "https:" && url.protocol !== session.base.protocol)
    throw new Error("it asks for a login without TLS");
  for (const name of ["service", "scope"]) {
    const value = parameters.get(name);
    if (value !== undefined) url.searchParams.set(name, value);
  }
  const headers = basic === undefined ? {} : { authorization: basic };
  const { status, content } = await read(await session.send({ method: "GET", url, headers }));
  if (status >= 500) throw new Error(`its login at ${url.host} responded with status ${status}`);
  const token = content["token"] ?? content["access_token"];
  return typeof token === "string" ? `Bearer ${token}` : undefined;
}
