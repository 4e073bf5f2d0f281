import { expect, test } from "vitest";
import type { ReviewedAction } from "../../kube-client/access-reviews.ts";
import type { Principal } from "../http/gateway-request.ts";
import type { GatewayAction } from "../model/permissions.ts";
import { kubernetesPermissions } from "./kubernetes-permissions.ts";

const alice = { user: "alice" };
const actions: readonly GatewayAction[] = ["read", "submit", "readLog", "kill"];

test("actions correspond to verbs of pods", async () => {
  const { permissions, reviewed } = await permissionsOf(
    ({ verb, subresource }) => verb === "get" && subresource === undefined,
  );
  expect(actions.filter((action) => permissions.allows(action, "jobs"))).toEqual(["read"]);
  expect(reviewed.filter(({ namespace }) => namespace === "jobs")).toEqual([
    { namespace: "jobs", resource: "pods", verb: "create" },
    { namespace: "jobs", resource: "pods", verb: "get" },
    { namespace: "jobs", resource: "pods", verb: "get", subresource: "log" },
    { namespace: "jobs", resource: "pods", verb: "delete" },
  ]);
});

test("each namespace has its permissions, and others have none", async () => {
  const { permissions } = await permissionsOf(({ namespace }) => namespace === "team");
  const namespaces = [undefined, "jobs", "team", "kube-system"];
  expect(namespaces.map((namespace) => permissions.allows("submit", namespace))).toEqual([false, false, true, false]);
  expect(permissions.canReadSome).toBe(true);
});

test("without a user, nothing is permitted, and nothing is reviewed", async () => {
  const { permissions, reviewed } = await permissionsOf(() => true, { user: undefined });
  expect([permissions.allows("read", "jobs"), permissions.canReadSome, reviewed]).toEqual([false, false, []]);
});

async function permissionsOf(
  isAllowed: (action: ReviewedAction) => boolean,
  { user }: Pick<Principal, "user"> = alice,
) {
  const reviewed: ReviewedAction[] = [];
  const authorize = kubernetesPermissions({
    namespaces: ["jobs", "team"],
    reviews: {
      authenticate: async () => undefined,
      async isAllowed(_, action) {
        reviewed.push(action);
        return isAllowed(action);
      },
    },
  });
  return { permissions: await authorize({ user, groups: [] }), reviewed };
}
