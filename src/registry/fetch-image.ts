import { failureReason } from "../net/failure-reason.ts";
import { type Fields, isFields } from "../values/fields.ts";
import type { PullCredentials } from "./pull-credentials.ts";
import { get, manifestTypes, openSession, type RegistryImage, type SendToRegistry, type Session } from "./session.ts";

/** Facts about an image in its registry. */
export type ImageFacts =
  /** Platforms such as `linux/arm64`; none if the registry does not name them. */
  | { readonly kind: "found"; readonly platforms: readonly string[] }
  | { readonly kind: "missing" }
  | { readonly kind: "unauthorized" }
  /** The registry was not reached, or failed. */
  | { readonly kind: "unknown"; readonly reason: string };

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
  const session = openSession(send, image, credentials);
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
