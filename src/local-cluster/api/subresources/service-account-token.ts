import { type TokenRequest, tokenIssuer } from "../access/tokens.ts";
import { admitNamespace } from "../admission/namespace-lifecycle.ts";
import type { Action, ApiScope, Call } from "../call.ts";
import { isArray, isObject, type JsonObject } from "../json.ts";
import { badRequest, conflict, invalid, notFound } from "../status.ts";
import type { StoredObject } from "../store.ts";
import { timestamp } from "../timestamp.ts";
import { type FieldError, invalidValue } from "../validation/field-error.ts";
import { find } from "../verbs/get.ts";
import { readAction } from "../verbs/read-object.ts";
import { writeOptions } from "../verbs/write-options.ts";

const requestKind = {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "TokenRequest",
  plural: "tokenrequests",
};
const defaultSeconds = 3600;
const minSeconds = 600;

/** Issues a token of a service account: POST of `serviceaccounts/token`. */
export const createToken: Action = (api, call) => {
  const request = readAction(call, requestKind);
  writeOptions(call.query, "CreateOptions");
  admitNamespace(api, call, call.name);
  const account = find(api, call);
  checkNames(call, request, account);
  const spec = isObject(request["spec"]) ? request["spec"] : {};
  const seconds = typeof spec["expirationSeconds"] === "number" ? spec["expirationSeconds"] : defaultSeconds;
  checkSeconds(seconds);
  const audiences = isArray(spec["audiences"]) ? spec["audiences"].map(String) : [];
  const reference = isObject(spec["boundObjectRef"]) ? spec["boundObjectRef"] : undefined;
  const issued = api.tokens.issue({
    namespace: call.namespace ?? "",
    serviceAccount: call.name,
    boundTo: reference && boundTo(api, call, reference),
    audiences,
    expirationSeconds: seconds,
  });
  if (issued === undefined) throw notFound(call.kind, call.name);
  const { name, namespace, uid, creationTimestamp } = account.metadata;
  return {
    type: "object",
    status: 201,
    object: {
      kind: "TokenRequest",
      apiVersion: "authentication.k8s.io/v1",
      metadata: { name, namespace, uid, creationTimestamp },
      spec: {
        audiences: audiences.length === 0 ? [tokenIssuer] : audiences,
        expirationSeconds: seconds,
        boundObjectRef: reference ?? null,
      },
      status: { token: issued.token, expirationTimestamp: timestamp(issued.expires) },
    },
  };
};

/** Rejects a request that names another account. @throws StatusError 409, 422 */
function checkNames({ name }: Call, request: JsonObject, account: StoredObject): void {
  const metadata = isObject(request["metadata"]) ? request["metadata"] : {};
  const { uid } = metadata;
  if (typeof uid === "string" && uid !== "" && uid !== account.metadata.uid) {
    const text = `the UID in the token request (${uid}) does not match the UID of the service account (${account.metadata.uid})`;
    throw conflict({ ...requestKind, plural: requestKind.kind }, name, text);
  }
  const own = metadata["name"];
  if (typeof own === "string" && own !== "" && own !== name) {
    const text = "must match the service account name if specified";
    throw invalid({ ...requestKind }, name, [invalidValue("metadata.name", own, text)]);
  }
}

function checkSeconds(seconds: number): void {
  const field = "spec.expirationSeconds";
  const errors: FieldError[] = [
    ...(seconds < minSeconds ? [invalidValue(field, seconds, "may not specify a duration less than 10 minutes")] : []),
    ...(seconds > 2 ** 32 ? [invalidValue(field, seconds, "may not specify a duration larger than 2^32 seconds")] : []),
  ];
  if (errors.length > 0) throw invalid({ ...requestKind }, "", errors);
}

const boundKinds = { Pod: "pod", Secret: "secret" } as const;

/** Returns the object that a token is bound to. @throws StatusError if it does not exist */
function boundTo(api: ApiScope, { namespace, name }: Call, reference: JsonObject): TokenRequest["boundTo"] {
  const { kind: boundKind, apiVersion, name: target, uid } = reference;
  const bound = boundKind === "Pod" || boundKind === "Secret" ? boundKinds[boundKind] : undefined;
  const version = String(apiVersion ?? "");
  const shown = version.includes("/") ? version : `/${version}`;
  if (bound === undefined) throw badRequest(`cannot bind token to object of type ${shown}, Kind=${boundKind ?? ""}`);
  if (typeof target !== "string" || target === "") throw badRequest("Name parameter required.");
  const object = api.store.get(`${bound}s`, namespace, target);
  if (object === undefined) throw notFound({ group: "", kind: String(boundKind), plural: `${bound}s` }, target);
  const { metadata } = object;
  if (typeof uid === "string" && uid !== "" && uid !== metadata.uid) {
    throw conflict(
      { group: "", kind: String(boundKind), plural: String(boundKind) },
      metadata.name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  const spec = isObject(object["spec"]) ? object["spec"] : {};
  const account = spec["serviceAccountName"];
  if (bound === "pod" && account !== name) {
    const text = `cannot bind token for serviceaccount ${JSON.stringify(name)} to pod running with different serviceaccount name.`;
    throw badRequest(text);
  }
  return { kind: bound, name: metadata.name, uid: metadata.uid };
}
