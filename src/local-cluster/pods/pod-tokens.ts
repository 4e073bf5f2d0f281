import type { Host } from "../../host/host.ts";
import type { StoredPod } from "./stored-object.ts";
import type { TokenProjection } from "./volume-files.ts";

/** Request for a service account token bound to a pod. */
interface PodTokenRequest {
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly pod: { readonly name: string; readonly uid: string };
  /** Empty for the API's own audience. */
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
}

/** Issues a token; returns `undefined` when the service account does not exist. */
export type IssueToken = (request: PodTokenRequest) => string | undefined;

/**
 * Creates a cache of service account tokens for a pod's volumes: each token is reused until four fifths of its
 * lifetime have passed.
 */
export function podTokens(
  { host, issueToken }: { readonly host: Pick<Host, "clock">; readonly issueToken: IssueToken },
  { metadata, spec }: StoredPod,
): (projection: TokenProjection) => string | undefined {
  const kept = new Map<string, { readonly token: string; readonly renewAt: number }>();
  return ({ audience, expirationSeconds }) => {
    const key = `${audience ?? ""} ${expirationSeconds}`;
    const known = kept.get(key);
    if (known !== undefined && host.clock.now() < known.renewAt) return known.token;
    const token = issueToken({
      namespace: metadata.namespace,
      serviceAccount: spec.serviceAccountName ?? "default",
      pod: { name: metadata.name, uid: metadata.uid },
      audiences: audience === undefined ? [] : [audience],
      expirationSeconds,
    });
    if (token !== undefined) kept.set(key, { token, renewAt: host.clock.now() + expirationSeconds * 800 });
    return token;
  };
}
