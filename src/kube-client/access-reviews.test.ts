import { expect, test } from "vitest";
import { testClock } from "../host/test-clock.ts";
import type { ApiRequest } from "../kube/transport.ts";
import { accessReviews } from "./access-reviews.ts";
import { kubeClient } from "./client.ts";
import { errorOf } from "./test-client.ts";

const action = { namespace: "jobs", verb: "get", resource: "pods", subresource: "log" };
const alice = { name: "alice", uid: "1", groups: ["team"], extra: { scopes: ["a"] } };
const accepted = { authenticated: true, user: { username: "alice", uid: "1", groups: ["team"], extra: alice.extra } };

test("a token's user is known until the result expires", async () => {
  const { reviews, clock, requests } = reviewsOf(() => accepted);
  expect(await reviews.authenticate("t")).toEqual(alice);
  expect(await reviews.authenticate("t")).toEqual(alice);
  expect(requests).toEqual([["/apis/authentication.k8s.io/v1/tokenreviews", { token: "t" }]]);
  await clock.advance(10_000);
  await reviews.authenticate("t");
  await reviews.authenticate("other");
  expect(requests).toHaveLength(3);
});

test("a rejected token has no user, for a shorter time", async () => {
  const { reviews, clock, requests } = reviewsOf(() => ({ authenticated: false, user: { username: "alice" } }));
  expect(await reviews.authenticate("t")).toBeUndefined();
  await reviews.authenticate("t");
  expect(requests).toHaveLength(1);
  await clock.advance(2000);
  await reviews.authenticate("t");
  expect(requests).toHaveLength(2);
});

test("a permission is reviewed for the complete user", async () => {
  const { reviews, requests } = reviewsOf(() => ({ allowed: true }));
  const results = await Promise.all([reviews.isAllowed(alice, action), reviews.isAllowed(alice, action)]);
  const { name: user, ...identity } = alice;
  expect(results).toEqual([true, true]);
  expect(requests).toEqual([
    ["/apis/authorization.k8s.io/v1/subjectaccessreviews", { user, ...identity, resourceAttributes: action }],
  ]);
  await reviews.isAllowed({ ...alice, groups: [] }, action);
  expect(requests).toHaveLength(2);
});

test("a review that fails is neither a permission nor known", async () => {
  let isDown = true;
  const { reviews } = reviewsOf(() => {
    if (isDown) throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    return { allowed: true };
  });
  expect((await errorOf(reviews.isAllowed(alice, action))).code).toBe("SUBMIT_ERR_KUBE_UNREACHABLE");
  isDown = false;
  expect(await reviews.isAllowed(alice, action)).toBe(true);
});

/** Returns the reviews of a cluster that responds with a status. */
function reviewsOf(status: () => object) {
  const clock = testClock(Date.UTC(2026, 0, 1));
  const requests: unknown[] = [];
  const transport = async ({ path, body }: ApiRequest) => {
    const object = JSON.parse(String(body));
    const found = status();
    requests.push([path.split("?")[0], object.spec]);
    const reply = async function* () {
      yield Buffer.from(JSON.stringify({ ...object, status: found }));
    };
    return { status: 201, headers: { "content-type": "application/json" }, body: reply() };
  };
  const options = { transport, server: "https://api:6443", clock, log: () => {}, requestTimeoutMs: 10_000 };
  const client = kubeClient({ ...options, retry: { retries: 0 } });
  return { clock, requests, reviews: accessReviews(client, clock, { acceptedMs: 10_000, deniedMs: 2000 }) };
}
