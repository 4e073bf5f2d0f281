import { createHash } from "node:crypto";
import type { Clock } from "../host/host.ts";
import { resourceTypeOf } from "../kube/resources.ts";
import type { KubeResource } from "../kube/types.ts";
import type { KubeClient } from "./client.ts";

/** A user as a TokenReview returns it. */
export interface ReviewedUser {
  readonly name: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** An action in a namespace, as RBAC names it. */
export interface ReviewedAction {
  readonly namespace: string;
  readonly verb: string;
  /** Plural, e.g. `pods`. */
  readonly resource: string;
  readonly subresource?: string | undefined;
}

/** Reviews by the cluster. Every method throws SubmitError if the cluster does not respond. */
export interface AccessReviews {
  /** Returns the user of a token; `undefined` if the cluster rejects it. */
  readonly authenticate: (token: string) => Promise<ReviewedUser | undefined>;
  readonly isAllowed: (user: ReviewedUser, action: ReviewedAction) => Promise<boolean>;
}

/** Lifetimes of cached results. With 0, only concurrent requests share a result. */
interface CacheTimes {
  readonly acceptedMs: number;
  readonly deniedMs: number;
}

/** `TokenReview` of `authentication.k8s.io/v1`. */
interface TokenReview extends KubeResource {
  readonly status?: {
    readonly authenticated?: boolean;
    readonly user?: {
      readonly username?: string;
      readonly uid?: string;
      readonly groups?: readonly string[];
      readonly extra?: Readonly<Record<string, readonly string[]>>;
    };
  };
}
/** `SubjectAccessReview` of `authorization.k8s.io/v1`. */
interface SubjectAccessReview extends KubeResource {
  readonly status?: { readonly allowed?: boolean };
}

/**
 * Returns the reviews of a cluster, with a cache: a client sends many requests.
 *
 * Source: Kubernetes, TokenReview and SubjectAccessReview.
 */
export function accessReviews(
  client: KubeClient,
  clock: Pick<Clock, "monotonic">,
  { acceptedMs, deniedMs }: CacheTimes,
): AccessReviews {
  const users = reviewCache<ReviewedUser | undefined>(clock, (user) => (user === undefined ? deniedMs : acceptedMs));
  const permissions = reviewCache<boolean>(clock, (isAllowed) => (isAllowed ? acceptedMs : deniedMs));
  return {
    authenticate: (token) =>
      users(token, async () => {
        const { status } = await createReview<TokenReview>(client, tokenReview(token));
        const { username = "", uid, groups = [], extra = {} } = status?.user ?? {};
        return status?.authenticated === true ? { name: username, uid, groups, extra } : undefined;
      }),
    isAllowed: (user, action) =>
      permissions(JSON.stringify([user, action]), async () => {
        const { status } = await createReview<SubjectAccessReview>(client, accessReview(user, action));
        return status?.allowed === true;
      }),
  };
}

function tokenReview(token: string): TokenReview {
  return {
    ...{ apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", metadata: {} },
    spec: { token },
  };
}

function accessReview(
  { name, uid, groups, extra }: ReviewedUser,
  resourceAttributes: ReviewedAction,
): SubjectAccessReview {
  return {
    ...{ apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", metadata: {} },
    spec: { user: name, groups, extra, ...(uid === undefined ? {} : { uid }), resourceAttributes },
  };
}

function createReview<T extends KubeResource>(client: KubeClient, object: T): Promise<T> {
  return client.create({ type: { ...resourceTypeOf(object), namespaced: false }, object });
}

const maxCached = 1_000;

/** Returns a function that reviews, or returns the earlier result of the same review. */
function reviewCache<T>(clock: Pick<Clock, "monotonic">, lifetimeMs: (result: T) => number) {
  const known = new Map<string, { readonly result: Promise<T>; untilMs: number }>();
  return (subject: string, review: () => Promise<T>): Promise<T> => {
    const key = createHash("sha256").update(subject).digest("hex");
    const earlier = known.get(key);
    if (earlier !== undefined && earlier.untilMs > clock.monotonic()) return earlier.result;
    // Discard all entries instead of the oldest: a discarded review is requested again.
    if (known.size >= maxCached) known.clear();
    const entry = { result: review(), untilMs: Number.POSITIVE_INFINITY };
    known.set(key, entry);
    entry.result.then(
      (result) => {
        entry.untilMs = clock.monotonic() + lifetimeMs(result);
      },
      () => {
        if (known.get(key) === entry) known.delete(key);
      },
    );
    return entry.result;
  };
}
