import type { LabelSelector } from "kubernetes-types/meta/v1.d.ts";
import { isSame } from "../json.ts";
import type { Draft } from "../object.ts";
import { webhookErrors } from "../validation/webhooks.ts";
import type { Rules } from "./rules.ts";

/** Requests that a webhook admits. */
export interface WebhookRule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  /** Plurals, with subresources such as `pods/status`; `*` stands for any part. */
  readonly resources?: readonly string[];
  scope?: string;
}

/** Service that serves a webhook. */
export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string;
  port?: number;
}

/** Address of a webhook: a URL or a service. */
export interface WebhookAddress {
  readonly url?: string;
  readonly service?: WebhookService;
  /** Base64 of PEM. */
  readonly caBundle?: string;
}

/** An admission webhook of a configuration. */
export interface Webhook {
  readonly name: string;
  readonly clientConfig: WebhookAddress;
  readonly rules?: readonly WebhookRule[];
  failurePolicy?: string;
  matchPolicy?: string;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  readonly sideEffects?: string | null;
  timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[];
  readonly matchConditions?: readonly object[];
  /** Of mutating webhooks only. */
  reinvocationPolicy?: string;
}

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
