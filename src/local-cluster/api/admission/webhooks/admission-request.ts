import type { StopSignal } from "../../../../errors/stop-signal.ts";
import type { User } from "../../access/user.ts";
import type { ApiScope, Call } from "../../call.ts";
import type { JsonObject } from "../../json.ts";
import type { Kind } from "../../kinds/kind.ts";

/** Kind of change that a request makes. */
export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** A request that webhooks admit. */
export interface AdmissionRequest {
  readonly operation: Operation;
  /** Kind of the resource that the request names. */
  readonly kind: Kind;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string;
  /** Options of the operation; null if it has none. */
  readonly options: JsonObject | null;
  readonly dryRun: boolean;
  readonly user: User;
  /** Receives the webhooks' warnings. */
  readonly warnings: string[];
  readonly signal: StopSignal | undefined;
  /** Time at which the request expires, in ms since 1970. @default it does not expire */
  readonly expires: number | undefined;
}

/** Conversion between the objects of a request and those that webhooks see, in the version that a webhook requests. */
export interface ObjectFormat<T extends JsonObject = JsonObject> {
  readonly kindIn: (version: Kind) => { readonly group: string; readonly version: string; readonly kind: string };
  /** Returns an object in a version, to which it has been converted. */
  readonly print: (object: JsonObject, version: Kind) => JsonObject;
  /** Has objects converted to a version before they are printed. @default they need no conversion */
  readonly convert?: (api: ApiScope, version: Kind, objects: readonly JsonObject[]) => Promise<void> | undefined;
  /** Parses an object that a webhook has changed. @throws StatusError */
  readonly parse: (document: JsonObject, version: Kind) => T;
}

/** The objects of a request. DELETE has only an old one. */
export interface AdmittedObjects<T extends JsonObject = JsonObject> {
  readonly object: T | undefined;
  readonly oldObject: JsonObject | undefined;
  readonly format: ObjectFormat<T>;
}

interface RequestOptions {
  readonly operation: Operation;
  readonly options: JsonObject | null;
  readonly dryRun: boolean;
  readonly expires: number | undefined;
  /** @default that of the call */
  readonly name?: string;
}

/** Describes a call for webhooks. */
export function admissionRequest(call: Call, { name = call.name, ...options }: RequestOptions): AdmissionRequest {
  const { kind, subresource, user, warnings, signal } = call;
  // A request for a namespace is in that namespace.
  const namespace = kind.collection === "namespaces" && name !== "" ? name : call.namespace;
  return { kind, subresource, namespace, name, user, warnings, signal, ...options };
}

/** Returns the options of a write as webhooks see them. */
export function operationOptions(kind: "CreateOptions" | "UpdateOptions", { query }: Pick<Call, "query">): JsonObject {
  const dryRun = query.getAll("dryRun");
  const [fieldManager, fieldValidation] = [query.get("fieldManager") ?? "", query.get("fieldValidation") ?? ""];
  return {
    kind,
    apiVersion: "meta.k8s.io/v1",
    ...(dryRun.length === 0 ? {} : { dryRun }),
    ...(fieldManager === "" ? {} : { fieldManager }),
    ...(fieldValidation === "" ? {} : { fieldValidation }),
  };
}
