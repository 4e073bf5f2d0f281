import type { ApiScope } from "../../call.ts";
import { type Steps, waitFor } from "../../steps.ts";
import type { AdmissionRequest, AdmittedObjects } from "./admission-request.ts";
import { callWebhook } from "./call-webhook.ts";
import { configuredWebhooks, versionFor } from "./configured-webhooks.ts";
import { convertForWebhook } from "./convert-objects.ts";

/** Calls the validating webhooks of a request in parallel. @throws StatusError of the first that rejects it */
export function* validateByWebhooks(api: ApiScope, request: AdmissionRequest, objects: AdmittedObjects): Steps<void> {
  const webhooks = configuredWebhooks(api.store, "validating", request);
  if (webhooks.length === 0) return;
  const matching = webhooks.flatMap((configured) => {
    const version = versionFor(api, configured, { request, objects });
    return version === undefined ? [] : [{ webhook: configured.webhook, version }];
  });
  if (matching.length === 0) return;
  for (const version of new Set(matching.map((one) => one.version))) yield* convertForWebhook(api, objects, version);
  const failures: unknown[] = [];
  const calls = matching.map(({ webhook, version }) =>
    callWebhook(api, { type: "validating", webhook, version, request, objects }).catch((error: unknown) => {
      failures.push(error);
    }),
  );
  yield* waitFor(Promise.all(calls));
  if (failures.length > 0) throw failures[0];
}
