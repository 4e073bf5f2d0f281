import { createHash } from "node:crypto";
import type { Clock } from "../../host/host.ts";
import { resourceTypeOf } from "../../kube/resources.ts";
import type { KubeResource } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import type { Access, Caller } from "../context/access.ts";
import { Problem } from "../context/problem.ts";

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

/** Lifetime of a cached review, because an upload consists of many requests. */
const cacheMs = 10_000;
const maxCached = 1_000;

/**
 * Access that the cluster decides: a TokenReview authenticates callers, who may stage files for the namespaces in which they may
 * create pods. Results are cached for 10 s.
 *
 * Source: Kubernetes, TokenReview and SubjectAccessReview.
 */
export function kubernetesAccess(client: KubeClient, clock: Pick<Clock, "monotonic">): Access {
  const callers = expiringCache<Caller>(clock);
  const permissions = expiringCache<true>(clock);
  const review = <T extends KubeResource>(object: T) => createReview(client, object);
  return {
    async authenticate(token) {
      if (token === undefined || token === "") throw unauthenticated("A bearer token of the cluster is required.");
      const key = createHash("sha256").update(token).digest("hex");
      const known = callers.get(key);
      if (known !== undefined) return known;
      const { status } = await review<TokenReview>(tokenReview(token));
      if (status?.authenticated !== true) throw unauthenticated("The cluster rejected this token.");
      const { username = "", uid, groups = [], extra = {} } = status.user ?? {};
      return callers.set(key, { name: username, ...(uid === undefined ? {} : { uid }), groups, extra });
    },
    async mayStage(caller, namespace) {
      const key = JSON.stringify([caller, namespace]);
      if (permissions.get(key) === true) return true;
      const { status } = await review<SubjectAccessReview>(accessReview(caller, namespace));
      return status?.allowed === true && permissions.set(key, true);
    },
  };
}

function tokenReview(token: string): TokenReview {
  return {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenReview",
    metadata: {},
    spec: { token },
  };
}

function accessReview({ name, uid, groups, extra }: Caller, namespace: string): SubjectAccessReview {
  return {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    metadata: {},
    spec: {
      ...{ user: name, groups, extra },
      ...(uid === undefined ? {} : { uid }),
      resourceAttributes: { namespace, verb: "create", resource: "pods" },
    },
  };
}

/** Creates a review. @throws Problem UNAVAILABLE if the cluster does not respond, so that access is denied */
async function createReview<T extends KubeResource>(client: KubeClient, object: T): Promise<T> {
  const type = { ...resourceTypeOf(object), namespaced: false };
  try {
    return await client.create({ type, object });
  } catch (cause) {
    const message = "The request to review the caller's access failed.";
    throw new Problem("UNAVAILABLE", message, { cause, headers: { "retry-after": "5" } });
  }
}

function unauthenticated(message: string): Problem {
  return new Problem("UNAUTHENTICATED", message, { headers: { "www-authenticate": "Bearer" } });
}

function expiringCache<T>(clock: Pick<Clock, "monotonic">) {
  const known = new Map<string, { readonly value: T; readonly until: number }>();
  return {
    get(key: string): T | undefined {
      const entry = known.get(key);
      return entry !== undefined && entry.until > clock.monotonic() ? entry.value : undefined;
    },
    set(key: string, value: T): T {
      // Discard all entries instead of the oldest: a discarded review is requested again.
      if (known.size >= maxCached) known.clear();
      known.set(key, { value, until: clock.monotonic() + cacheMs });
      return value;
    },
  };
}
