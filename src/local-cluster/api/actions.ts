import type { Action } from "./call.ts";
import type { Kind, Subresource, Verb } from "./kinds/kind.ts";
import { finalizeNamespace } from "./subresources/namespace-finalize.ts";
import { bindPod, createBinding } from "./subresources/pod-binding.ts";
import { evictPod } from "./subresources/pod-eviction.ts";
import { podLog } from "./subresources/pod-log.ts";
import { attachToPod, execInPod, forwardPorts } from "./subresources/pod-streams.ts";
import { proxyRequest } from "./subresources/proxy/proxy.ts";
import { reviewAccess, reviewOwnAccess, reviewOwnRules, reviewSelf, reviewToken } from "./subresources/reviews.ts";
import { getScale, patchScale, updateScale } from "./subresources/scale.ts";
import { createToken } from "./subresources/service-account-token.ts";
import { admittedConnection, admittedCreation } from "./verbs/admit-action.ts";
import { create } from "./verbs/create.ts";
import { deleteCollection, deleteOne } from "./verbs/delete.ts";
import { get } from "./verbs/get.ts";
import { list } from "./verbs/list.ts";
import { patch } from "./verbs/patch.ts";
import { update } from "./verbs/update.ts";
import { watch } from "./verbs/watch.ts";

const standard: Readonly<Record<Verb, Action>> = {
  create,
  delete: deleteOne,
  deletecollection: deleteCollection,
  get,
  list,
  patch,
  update,
  watch,
};

/** Kinds whose creation is an action; their objects are not stored. */
const actions: Readonly<Record<string, Action>> = {
  Binding: createBinding,
  LocalSubjectAccessReview: reviewAccess,
  SelfSubjectAccessReview: reviewOwnAccess,
  SelfSubjectReview: reviewSelf,
  SelfSubjectRulesReview: reviewOwnRules,
  SubjectAccessReview: reviewAccess,
  TokenReview: reviewToken,
};

/** Returns the action of a verb on objects of a kind. */
export function actionOf(kind: Kind, verb: Verb): Action {
  // A custom resource may have any name.
  const action = kind.custom === undefined ? actions[kind.kind] : undefined;
  return action === undefined ? standard[verb] : admittedCreation(action, kind);
}

const part = { get, patch, update };

const proxied = {
  create: proxyRequest,
  delete: proxyRequest,
  get: proxyRequest,
  patch: proxyRequest,
  update: proxyRequest,
};

const parts: Readonly<Record<string, Readonly<Record<string, Action>>>> = {
  status: part,
  scale: { get: getScale, patch: patchScale, update: updateScale },
  "namespaces/finalize": { update: finalizeNamespace },
  "pods/attach": { create: attachToPod, get: attachToPod },
  "pods/binding": { create: bindPod },
  "pods/ephemeralcontainers": part,
  "pods/resize": part,
  "certificatesigningrequests/approval": part,
  "pods/eviction": { create: evictPod },
  "pods/exec": { create: execInPod, get: execInPod },
  "pods/log": { get: podLog },
  "pods/proxy": proxied,
  "services/proxy": proxied,
  "pods/portforward": { create: forwardPorts, get: forwardPorts },
  "serviceaccounts/token": { create: createToken },
};

/** Returns the action of a verb on a subresource; `undefined` if it is not supported. */
export function subresourceAction(kind: Kind, part: string, verb: string): Action | undefined {
  const own = kind.custom === undefined ? parts[`${kind.plural}/${part}`] : undefined;
  const action = (own ?? parts[part])?.[verb];
  const found = kind.subresources.find(({ name }) => name === part);
  if (action === undefined || found === undefined) return action;
  if (found.kind.kind.endsWith("Options")) return admittedConnection(action, found.kind.kind);
  return verb === "create" ? admittedCreation(action, objectKindOf(kind, found)) : action;
}

/** Returns the kind of a subresource's bodies. */
function objectKindOf({ group, version }: Kind, { kind }: Subresource): Subresource["kind"] {
  return kind.version === "" ? { group, version, kind: kind.kind } : kind;
}
