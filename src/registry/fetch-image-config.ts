import { type Fields, isFields } from "../values/fields.ts";
import type { PullCredentials } from "./pull-credentials.ts";
import { get, manifestTypes, openSession, type RegistryImage, type SendToRegistry, type Session } from "./session.ts";

/** Options of an image. */
interface ConfigOptions {
  readonly credentials: PullCredentials | undefined;
  /** As in a platform, e.g. `arm64`. */
  readonly architecture: string;
}

/**
 * Fetches the variables and labels of an image from its registry, without its layers. Returns `undefined` if it has none of this
 * architecture, or requires a login.
 *
 * Source: OCI Image Format Specification 1.1, image configuration.
 *
 * @param send sends one request, without following redirects
 * @throws Error if the registry cannot be reached or understood
 */
export async function fetchImageConfig(
  send: SendToRegistry,
  image: RegistryImage,
  { credentials, architecture }: ConfigOptions,
): Promise<ImageConfig | undefined> {
  const session = openSession(send, image, credentials);
  const first = await contentOf(session, `manifests/${image.reference}`, manifestTypes);
  const manifest = Array.isArray(first?.["manifests"])
    ? await manifestFor(session, first["manifests"], architecture)
    : first;
  const digest = digestOf(manifest?.["config"]);
  const { config } = (digest === undefined ? undefined : await contentOf(session, `blobs/${digest}`, "*/*")) ?? {};
  return isFields(config) ? { env: variablesOf(config["Env"]), labels: textsOf(config["Labels"]) } : undefined;
}

/** Variables and labels of an image. */
export interface ImageConfig {
  readonly env: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}

async function contentOf(session: Session, path: string, accept: string): Promise<Fields | undefined> {
  const { status, content } = await get(session, path, accept);
  if (status >= 500) throw new Error(`${session.base.host} responded with status ${status}`);
  return status === 200 ? content : undefined;
}

/** Gets the manifest of an architecture from an index. */
async function manifestFor(session: Session, entries: readonly unknown[], architecture: string) {
  const entry = entries.find((each) => {
    const platform = isFields(each) ? each["platform"] : undefined;
    return isFields(platform) && platform["os"] === "linux" && platform["architecture"] === architecture;
  });
  const digest = digestOf(entry);
  return digest === undefined ? undefined : contentOf(session, `manifests/${digest}`, manifestTypes);
}

function digestOf(descriptor: unknown): string | undefined {
  const digest = isFields(descriptor) ? descriptor["digest"] : undefined;
  return typeof digest === "string" ? digest : undefined;
}

function variablesOf(list: unknown): ImageConfig["env"] {
  const texts = Array.isArray(list) ? list.filter((each) => typeof each === "string") : [];
  return Object.fromEntries(texts.map((text) => [text.replace(/=.*/s, ""), text.slice(text.indexOf("=") + 1)]));
}

function textsOf(fields: unknown): ImageConfig["labels"] {
  const entries = isFields(fields) ? Object.entries(fields) : [];
  return Object.fromEntries(entries.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])));
}
