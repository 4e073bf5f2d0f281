import { isSame } from "../json.ts";
import type { Draft } from "../object.ts";
import { webhookErrors } from "../validation/webhooks.ts";
import type { Webhook } from "../webhook.ts";
import type { Rules } from "./rules.ts";

type Configuration = Draft & { readonly webhooks?: readonly Webhook[] };

/** The rules of ValidatingWebhookConfigurations. */
export const validatingWebhookRules: Rules<Configuration> = {
  needsRevision: true,
  fill({ webhooks = [] }) {
    for (const webhook of webhooks) fillWebhook(webhook);
  },
  prepare({ metadata }) {
    metadata.generation = 1;
  },
  prepareUpdate({ metadata, webhooks }, old) {
    if (!isSame(webhooks, old.webhooks)) metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  validate: ({ webhooks = [] }) => webhookErrors(webhooks),
};

/** The rules of MutatingWebhookConfigurations. */
export const mutatingWebhookRules: Rules<Configuration> = {
  ...validatingWebhookRules,
  fill({ webhooks = [] }) {
    for (const webhook of webhooks) {
      fillWebhook(webhook);
      webhook.reinvocationPolicy ??= "Never";
    }
  },
};

function fillWebhook(webhook: Webhook): void {
  webhook.failurePolicy ??= "Fail";
  webhook.matchPolicy ??= "Equivalent";
  webhook.namespaceSelector ??= {};
  webhook.objectSelector ??= {};
  webhook.timeoutSeconds ??= 10;
  const { service } = webhook.clientConfig;
  if (service !== undefined) service.port ??= 443;
  for (const rule of webhook.rules ?? []) rule.scope ??= "*";
}
