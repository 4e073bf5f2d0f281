import { expiryOf } from "../admission/webhooks/expiry.ts";
import type { Action, ActionResult } from "../call.ts";
import { runSteps, type Steps } from "../steps.ts";
import { checkNamespace } from "./check-namespace.ts";
import { insert } from "./insert.ts";
import { readObject } from "./read-object.ts";
import { writeOptions } from "./write-options.ts";

/** Creates an object: POST on a collection. */
export const create: Action = (api, call) => runSteps(createSteps(api, call));

function* createSteps(...[api, call]: Parameters<Action>): Steps<ActionResult> {
  const options = writeOptions(call.query, "CreateOptions");
  const draft = readObject(call, options);
  checkNamespace(call, draft);
  const object = yield* insert(api, call, draft, { ...options, expires: expiryOf(api, call) });
  return { type: "object", status: 201, object };
}
