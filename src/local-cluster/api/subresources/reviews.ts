import type { PolicyRule } from "kubernetes-types/rbac/v1.d.ts";
import { authorize, grants, type RequestAttributes } from "../access/authorize.ts";
import { tokenIssuer } from "../access/tokens.ts";
import { mastersGroup, type User, userInfo } from "../access/user.ts";
import type { Action, ActionResult, ApiScope, Call } from "../call.ts";
import { isArray, isObject, type JsonObject } from "../json.ts";
import { badRequest, invalid } from "../status.ts";
import { timestamp } from "../timestamp.ts";
import { type FieldError, invalidValue } from "../validation/field-error.ts";
import { readAction } from "../verbs/read-object.ts";

/** Checks whether the requester may do something: POST of `selfsubjectaccessreviews`. */
export const reviewOwnAccess: Action = (api, call) => {
  const review = readAction(call, call.kind);
  const spec = specOf(review);
  return reviewed(api, review, { user: call.user, attributes: reviewedAttributes(call, spec, []) });
};

/** Checks whether a user may do something: POST of `subjectaccessreviews` and `localsubjectaccessreviews`. */
export const reviewAccess: Action = (api, call) => {
  const review = readAction(call, call.kind);
  const spec = specOf(review);
  const name = typeof spec["user"] === "string" ? spec["user"] : "";
  const groups = isArray(spec["groups"]) ? spec["groups"].map(String) : [];
  const text = "at least one of user or group must be specified";
  const errors = [
    ...(name === "" && groups.length === 0 ? [invalidValue("spec.user", "", text)] : []),
    ...(call.namespace === undefined ? [] : namespaceErrors(spec, call.namespace)),
  ];
  const attributes = reviewedAttributes(call, spec, errors);
  const user: User = { name, uid: undefined, groups: withAccountGroups(name, groups), extra: {} };
  const { namespace } = call;
  const metadata = isObject(review["metadata"]) ? review["metadata"] : {};
  const placed = namespace === undefined ? review : { ...review, metadata: { ...metadata, namespace } };
  return reviewed(api, placed, { user, attributes });
};

/** Checks that a review in a namespace is about that namespace. */
function namespaceErrors(
  { resourceAttributes: resource, nonResourceAttributes: path }: JsonObject,
  namespace: string,
): FieldError[] {
  if (isObject(path)) {
    const shown = { Path: path["path"] ?? "", Verb: path["verb"] ?? "" };
    return [invalidValue("spec.nonResourceAttributes", shown, "disallowed on this kind of request")];
  }
  const own = isObject(resource) ? textOf(resource["namespace"]) : "";
  const field = "spec.resourceAttributes.namespace";
  return own === namespace ? [] : [invalidValue(field, own, "must match metadata.namespace")];
}

function withAccountGroups(name: string, groups: readonly string[]): readonly string[] {
  return name.startsWith("system:serviceaccount:") && groups.length === 0
    ? ["system:serviceaccounts", "system:authenticated"]
    : groups;
}

function specOf(review: JsonObject): JsonObject {
  return isObject(review["spec"]) ? review["spec"] : {};
}

function reviewed(
  { store }: ApiScope,
  review: JsonObject,
  { user, attributes }: { user: User; attributes: RequestAttributes },
): ActionResult {
  const { isAllowed, reason } = authorize(store, user, attributes);
  const status = { allowed: isAllowed, ...(reason === "" ? {} : { reason }) };
  return created({ ...review, status });
}

function created(object: JsonObject): ActionResult {
  return { type: "object", status: 201, object };
}

/** Returns the attributes that a review is about. @throws StatusError 422 unless there is exactly one kind */
function reviewedAttributes({ kind }: Call, spec: JsonObject, errors: readonly FieldError[]): RequestAttributes {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  const shape = shapeErrors(resource, path);
  const all = [...shape, ...errors];
  if (all.length > 0) throw invalid({ group: kind.group, kind: "", plural: "" }, "", all);
  if (isObject(path)) return { verb: textOf(path["verb"]), path: textOf(path["path"]) };
  const attributes = isObject(resource) ? resource : {};
  return {
    verb: textOf(attributes["verb"]),
    group: textOf(attributes["group"]),
    resource: textOf(attributes["resource"]),
    subresource: textOf(attributes["subresource"]) || undefined,
    namespace: textOf(attributes["namespace"]) || undefined,
    name: textOf(attributes["name"]) || undefined,
  };
}

function shapeErrors(resource: unknown, path: unknown): FieldError[] {
  if (isObject(resource) && isObject(path)) {
    const shown = { Path: path["path"] ?? "", Verb: path["verb"] ?? "" };
    return [
      invalidValue("spec.nonResourceAttributes", shown, "cannot be specified in combination with resourceAttributes"),
    ];
  }
  if (isObject(resource) || isObject(path)) return [];
  const text = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
  return [invalidValue("spec.resourceAttributes", null, text)];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Lists the requester's permissions: POST of `selfsubjectrulesreviews`. */
export const reviewOwnRules: Action = ({ store }, call) => {
  const review = readAction(call, call.kind);
  const namespace = textOf(specOf(review)["namespace"]);
  if (namespace === "") throw badRequest("no namespace on request");
  const everything: PolicyRule[] = [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    { verbs: ["*"], nonResourceURLs: ["*"] },
  ];
  const granted = [...grants(store, call.user, namespace)].flatMap(({ rules }) => rules);
  const rules = call.user.groups.includes(mastersGroup) ? [...everything, ...granted] : granted;
  const isPath = (rule: PolicyRule) => (rule.nonResourceURLs ?? []).length > 0;
  return created({
    ...review,
    spec: {},
    status: {
      resourceRules: rules.filter((rule) => !isPath(rule)),
      nonResourceRules: rules.filter(isPath),
      incomplete: false,
    },
  });
};

/** Describes the requester: POST of `selfsubjectreviews`. */
export const reviewSelf: Action = ({ clock }, call) => {
  const review = readAction(call, call.kind);
  return created({
    ...review,
    metadata: { creationTimestamp: timestamp(clock.now()) },
    status: { userInfo: userInfo(call.user) },
  });
};

/** Verifies a token: POST of `tokenreviews`. */
export const reviewToken: Action = ({ tokens }, call) => {
  const review = readAction(call, call.kind);
  const spec = specOf(review);
  const token = textOf(spec["token"]);
  if (token === "") throw badRequest("token is required for TokenReview in authentication");
  const requested = isArray(spec["audiences"]) ? spec["audiences"].map(String) : [];
  const audiencesToCheck = requested.length === 0 ? [tokenIssuer] : requested;
  const user = tokens.userOf(token, audiencesToCheck);
  const audiences = audiencesToCheck.filter((audience) => tokens.userOf(token, [audience]) !== undefined);
  const status =
    user === undefined
      ? { user: {}, error: "invalid bearer token" }
      : { authenticated: true, user: userInfo(user), audiences };
  return created({ ...review, status });
};
