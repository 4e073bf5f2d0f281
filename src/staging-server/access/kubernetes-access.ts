import type { Clock } from "../../host/host.ts";
import { accessReviews } from "../../kube-client/access-reviews.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import type { Access } from "../context/access.ts";
import { Problem } from "../context/problem.ts";

/** Lifetimes of reviews: an upload consists of many requests, and a new permission applies at once. */
const cacheTimes = { acceptedMs: 10_000, deniedMs: 0 };

/**
 * Access that the cluster decides: a TokenReview authenticates callers, who may stage files for the namespaces in which they may
 * create pods. Results are cached for 10 s.
 */
export function kubernetesAccess(client: KubeClient, clock: Pick<Clock, "monotonic">): Access {
  const reviews = accessReviews(client, clock, cacheTimes);
  return {
    async authenticate(token) {
      if (token === undefined || token === "") throw unauthenticated("A bearer token of the cluster is required.");
      const caller = await reviewed(reviews.authenticate(token));
      if (caller === undefined) throw unauthenticated("The cluster rejected this token.");
      return caller;
    },
    mayStage: (caller, namespace) =>
      reviewed(reviews.isAllowed(caller, { namespace, verb: "create", resource: "pods" })),
  };
}

/** Waits for a review. @throws Problem UNAVAILABLE if the cluster does not respond, so that access is denied */
async function reviewed<T>(review: Promise<T>): Promise<T> {
  try {
    return await review;
  } catch (cause) {
    const message = "The request to review the caller's access failed.";
    throw new Problem("UNAVAILABLE", message, { cause, headers: { "retry-after": "5" } });
  }
}

function unauthenticated(message: string): Problem {
  return new Problem("UNAUTHENTICATED", message, { headers: { "www-authenticate": "Bearer" } });
}
