import type { ResourceType } from "../../kube/resources.ts";
import type { KubeResource } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { isFields } from "../../values/fields.ts";
import { type Fetched, fetched } from "./fetched.ts";

/** One call of the API whose permission is checked. */
export interface ApiAction {
  readonly verb: string;
  /** API group; empty for the core group. */
  readonly group: string;
  /** Plural, optionally with a subresource. */
  readonly resource: string;
  readonly namespace: string;
}

/** An action, and whether an account has the permission for it. */
export interface ReviewedAction {
  readonly action: ApiAction;
  readonly isAllowed: Fetched<boolean>;
}

const group = "authorization.k8s.io";
const ownReview: ResourceType = {
  ...{ group, version: "v1", namespaced: false },
  ...{ kind: "SelfSubjectAccessReview", plural: "selfsubjectaccessreviews" },
};
const accountReview: ResourceType = {
  ...{ group, version: "v1", namespaced: true },
  ...{ kind: "LocalSubjectAccessReview", plural: "localsubjectaccessreviews" },
};

/** Asks whether the account of the client has a permission. @throws SUBMIT_ERR_KUBE_… */
export async function reviewOwn(client: KubeClient, action: ApiAction): Promise<boolean> {
  const review = { apiVersion: `${group}/v1`, kind: ownReview.kind, metadata: {}, spec: specOf(action) };
  return isAllowed(await client.create<KubeResource>({ type: ownReview, object: review }));
}

/** Asks whether a service account of the namespace has permissions. */
export function reviewAccount(
  client: KubeClient,
  account: string,
  actions: readonly ApiAction[],
): Promise<readonly ReviewedAction[]> {
  return reviewAll(actions, async (action) => {
    const { namespace } = action;
    const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
    const spec = { ...specOf(action), user: `system:serviceaccount:${namespace}:${account}`, groups };
    const object = { apiVersion: `${group}/v1`, kind: accountReview.kind, metadata: { namespace }, spec };
    return isAllowed(await client.create<KubeResource>({ type: accountReview, namespace, object }));
  });
}

/** Asks for all actions at once. */
export function reviewAll(
  actions: readonly ApiAction[],
  review: (action: ApiAction) => Promise<boolean>,
): Promise<readonly ReviewedAction[]> {
  return Promise.all(actions.map(async (action) => ({ action, isAllowed: await fetched(review(action)) })));
}

function specOf({ verb, group: apiGroup, resource: path, namespace }: ApiAction) {
  const [resource, subresource] = path.split("/");
  return { resourceAttributes: { verb, group: apiGroup, resource, subresource, namespace } };
}

function isAllowed(review: KubeResource): boolean {
  const status = review["status"];
  return isFields(status) && status["allowed"] === true;
}
