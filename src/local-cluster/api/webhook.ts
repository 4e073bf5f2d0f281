import type { LabelSelector } from "kubernetes-types/meta/v1.d.ts";

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
