import { impersonationHeaders } from "../../kube-client/auth/impersonation.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import type { ApplicationRecord } from "../model/application.ts";

/** Groups that Kubernetes adds to each user or service account by itself. */
const addedGroups = /^system:(authenticated|serviceaccounts(:.*)?)$/;

/** Returns a client that acts as the owner of an application, with the owner's permissions. */
export function actAsOwner(
  client: KubeClient,
  { owner, ownerGroups = [] }: Pick<ApplicationRecord, "owner" | "ownerGroups">,
): KubeClient {
  if (owner === undefined) return client;
  const groups = ownerGroups.filter((group) => !addedGroups.test(group));
  const { headers, repeatedHeaders } = impersonationHeaders({ user: owner, uid: undefined, groups, extra: {} });
  return client.withTransport(
    (transport) => (request) => transport({ ...request, headers: { ...request.headers, ...headers }, repeatedHeaders }),
  );
}
