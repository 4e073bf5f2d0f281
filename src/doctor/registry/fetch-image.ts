import { basicAuthorization } from "../../net/basic-authorization.ts";
import { failureReason } from "../../net/failure-reason.ts";
import { followRedirects, type RedirectPolicy } from "../../net/follow-redirects.ts";
import { type HttpRequest, type HttpResponse, readText } from "../../net/http-connections.ts";
import { type Fields, isFields } from "../../values/fields.ts";
import type { PullCredentials } from "./pull-credentials.ts";

/** Facts about an image in its registry. */
export type ImageFacts =
  /** Platforms such as `linux/arm64`; none if the registry does not name them. */
  | { readonly kind: "found"; readonly platforms: readonly string[] }
  | { readonly kind: "missing" }
  | { readonly kind: "unauthorized" }
  /** The registry was not reached, or failed. */
  | { readonly kind: "unknown"; readonly reason: string };

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

const manifestTypes = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

/**
 * Fetches what a registry knows about an image. Never rejects because of the registry.
 *
 * Source: OCI Distribution Specification 1.1; token authentication of the distribution project.
 *
 * @param send sends one request, without following redirects
 */
export async function fetchImage(
  send: SendToRegistry,
  image: RegistryImage,
  credentials: PullCredentials | undefined,
): Promise<ImageFacts> {
  const session: Session = { send, image, credentials, base: baseUrl(image), authorization: undefined };
  try {
    const manifest = await get(session, `manifests/${image.reference}`, manifestTypes);
    if (manifest.status === 401 || manifest.status === 403) return { kind: "unauthorized" };
    if (manifest.status === 404) return { kind: "missing" };
    if (manifest.status !== 200)
      return { kind: "unknown", reason: `${session.base.host} responded with status ${manifest.status}` };
    return { kind: "found", platforms: await platformsOf(session, manifest.content) };
  } catch (error) {
    return { kind: "unknown", reason: `${session.base.host}: ${failureReason(error).reason}` };
  }
}

interface Session {
  readonly send: SendToRegistry;
  readonly image: RegistryImage;
  readonly credentials: PullCredentials | undefined;
  readonly base: URL;
  /** Set after the registry has asked for it. */
  authorization: string | undefined;
}

/** Returns the URL of a repository. A registry on a loopback address speaks HTTP, as container runtimes assume. */
function baseUrl({ repository }: RegistryImage): URL {
  const slash = repository.indexOf("/");
  const registry = repository.slice(0, slash);
  const host = registry === "docker.io" ? "registry-1.docker.io" : registry;
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host);
  return new URL(`${isLoopback ? "http" : "https"}://${host}/v2/${repository.slice(slash + 1)}/`);
}

interface RegistryResponse {
  readonly status: number;
  readonly content: Fields;
}

/** Gets a part of the repository, and logs in if the registry asks for it. */
async function get(session: Session, path: string, accept: string): Promise<RegistryResponse> {
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

/** Returns the platforms of an index, or of the only image. */
async function platformsOf(session: Session, manifest: Fields): Promise<readonly string[]> {
  const { manifests, config } = manifest;
  if (Array.isArray(manifests))
    return manifests.flatMap((entry) => (isFields(entry) ? platformOf(entry["platform"]) : []));
  const digest = isFields(config) ? config["digest"] : undefined;
  if (typeof digest !== "string") return [];
  const { status, content } = await get(session, `blobs/${digest}`, "*/*");
  return status === 200 ? platformOf(content) : [];
}

function platformOf(platform: unknown): readonly string[] {
  if (!isFields(platform)) return [];
  const { os, architecture } = platform;
  // An index also lists attestations, whose platform is unknown/unknown.
  return typeof os === "string" && typeof architecture === "string" && os !== "unknown"
    ? [`${os}/${architecture}`]
    : [];
}
