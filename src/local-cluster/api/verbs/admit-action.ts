import { admissionRequest, type ObjectFormat, operationOptions } from "../admission/webhooks/admission-request.ts";
import { hasWebhooks } from "../admission/webhooks/configured-webhooks.ts";
import { expiryOf } from "../admission/webhooks/expiry.ts";
import { mutate } from "../admission/webhooks/mutate.ts";
import { validateByWebhooks } from "../admission/webhooks/validate.ts";
import type { Action, ApiScope, Call } from "../call.ts";
import { isArray, isObject, type JsonObject } from "../json.ts";
import type { Kind, Subresource } from "../kinds/kind.ts";
import { runSteps, type Steps, waitFor } from "../steps.ts";
import { rawBody } from "../wire/body.ts";
import { flag } from "../wire/query.ts";
import { readAction } from "./read-object.ts";

type ObjectKind = Subresource["kind"];

/** The format of objects that are not stored, which have one version. */
function actionFormat(objectKind: ObjectKind): ObjectFormat {
  return { kindIn: () => objectKind, print: (object) => object, parse: (document) => document };
}

/** Returns an action on an object that is not stored, such as a Binding, whose creation webhooks admit. */
export function admittedCreation(action: Action, { kind, group, version }: ObjectKind): Action {
  return (api, call) => {
    if (!hasWebhooks(api.store)) return action(api, call);
    return runSteps(admitCreationOf(api, call, { action, objectKind: { kind, group, version } }));
  };
}

interface Admitted {
  readonly action: Action;
  readonly objectKind: ObjectKind;
}

type Result = Awaited<ReturnType<Action>>;

function* admitCreationOf(api: ApiScope, call: Call, { action, objectKind }: Admitted): Steps<Result> {
  const object = readAction({ ...call, warnings: [] }, { ...objectKind, plural: pluralOf(call.kind, objectKind) });
  const { metadata } = object;
  const ownName = isObject(metadata) && typeof metadata["name"] === "string" ? metadata["name"] : "";
  const request = admissionRequest(call, {
    ...{ operation: "CREATE", options: operationOptions("CreateOptions", call), expires: expiryOf(api, call) },
    dryRun: call.query.getAll("dryRun").length > 0,
    name: call.name === "" ? ownName : call.name,
  });
  const format = actionFormat(objectKind);
  const admitted = yield* mutate(api, request, { object, oldObject: undefined, format });
  yield* validateByWebhooks(api, request, { object: admitted, oldObject: undefined, format });
  if (admitted === object) return yield* run(api, call, action);
  return yield* run(api, { ...call, raw: rawBody(JSON.stringify(admitted), "application/json") }, action);
}

function* run(api: ApiScope, call: Call, action: Action): Steps<Result> {
  const result = action(api, call);
  return result instanceof Promise ? yield* waitFor(result) : result;
}

/** Returns the plural in whose table entry a kind is found: that of its own resource, or one derived from its name. */
function pluralOf({ kind, plural }: Kind, objectKind: ObjectKind): string {
  return kind === objectKind.kind ? plural : `${objectKind.kind.toLowerCase()}s`;
}

/** Returns a connection to an object, such as `pods/exec`, that webhooks admit. They see its options. */
export function admittedConnection(action: Action, optionsKind: string): Action {
  return (api, call) => {
    if (!hasWebhooks(api.store)) return action(api, call);
    return runSteps(
      admitConnectionOf(api, call, { action, objectKind: { group: "", version: "v1", kind: optionsKind } }),
    );
  };
}

function* admitConnectionOf(api: ApiScope, call: Call, { action, objectKind }: Admitted): Steps<Result> {
  const request = admissionRequest(call, { operation: "CONNECT", options: null, dryRun: false, expires: undefined });
  const format = actionFormat(objectKind);
  const object = connectionOptions(call, objectKind);
  const admitted = yield* mutate(api, request, { object, oldObject: undefined, format });
  yield* validateByWebhooks(api, request, { object: admitted, oldObject: undefined, format });
  return yield* run(api, admitted === object ? call : { ...call, query: queryOf(admitted) }, action);
}

const flags = ["stdin", "stdout", "stderr", "tty"];

/** Returns the options of a connection. */
function connectionOptions({ query, proxied }: Call, { kind, version }: ObjectKind): JsonObject {
  const options = { kind, apiVersion: version };
  if (proxied !== undefined) return { ...options, ...(proxied.rest === "" ? {} : { path: proxied.rest }) };
  const ports = query.getAll("ports").flatMap((list) => list.split(",").map(Number));
  const command = query.getAll("command");
  const container = query.get("container") ?? "";
  return {
    ...options,
    ...Object.fromEntries(flags.filter((name) => flag(query, name)).map((name) => [name, true])),
    ...(container === "" ? {} : { container }),
    ...(command.length === 0 ? {} : { command }),
    ...(ports.length === 0 ? {} : { ports }),
  };
}

/** Returns the query of options that a webhook has changed. */
function queryOf({ kind: _, apiVersion: __, ...options }: JsonObject): URLSearchParams {
  return new URLSearchParams(
    Object.entries(options).flatMap(([name, value]) =>
      (isArray(value) ? value : [value]).map((item): [string, string] => [name, String(item)]),
    ),
  );
}
