import { type ApiNamespace, until } from "./api-namespace.ts";
import { configMap } from "./objects.ts";
import { type ReviewServer, startReviewServer } from "./review-server.ts";

/** The request in an AdmissionReview. */
export interface ReviewRequest {
  readonly uid: string;
  readonly name?: string;
  readonly operation: string;
  readonly object?: unknown;
  readonly oldObject?: unknown;
  readonly [field: string]: unknown;
}

/** The response of an AdmissionReview, without its uid. */
interface ReviewResponse {
  readonly allowed: boolean;
  readonly [field: string]: unknown;
}

/** Name of the object whose admission shows that a webhook is called. */
const probe = "probe";

/** A server of webhooks on this machine. */
interface WebhookServer extends ReviewServer {
  readonly requests: readonly ReviewRequest[];
}

/** Starts a server whose webhooks respond with what the function returns. */
async function startWebhookServer(respond: (request: ReviewRequest) => ReviewResponse): Promise<WebhookServer> {
  const requests: ReviewRequest[] = [];
  const server = await startReviewServer((review) => {
    if (!isReviewRequest(review)) throw new Error("no admission review was sent");
    if (review.name !== probe) requests.push(review);
    return { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: respond(review) };
  });
  return { ...server, requests };
}

function isReviewRequest(value: Readonly<Record<string, unknown>>): value is ReviewRequest {
  return typeof value["uid"] === "string" && typeof value["operation"] === "string";
}

/** Returns a response with a JSON patch. */
export function patching(...operations: readonly object[]): ReviewResponse {
  const patch = Buffer.from(JSON.stringify(operations)).toString("base64");
  return { allowed: true, patch, patchType: "JSONPatch" };
}

interface WebhookOptions {
  readonly type: "mutating" | "validating";
  readonly respond: (request: ReviewRequest) => ReviewResponse;
  /** Fields of the webhook. By default, it admits ConfigMaps of the test's namespace. */
  readonly fields?: object;
}

/** Runs a test with a webhook for the test's namespace, and removes it afterwards. */
export async function withWebhook(
  api: ApiNamespace,
  { type, respond, fields = {} }: WebhookOptions,
  run: (server: WebhookServer) => Promise<void>,
): Promise<void> {
  const server = await startWebhookServer((request) =>
    request.name === probe ? { allowed: true, warnings: [api.namespace] } : respond(request),
  );
  const { url, caBundle } = server;
  const kind = type === "mutating" ? "MutatingWebhookConfiguration" : "ValidatingWebhookConfiguration";
  const webhook = {
    ...{ name: "admit.example.com", clientConfig: { url, caBundle }, sideEffects: "None" },
    ...{ admissionReviewVersions: ["v1"], timeoutSeconds: 5 },
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": api.namespace } },
    rules: [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
    ...fields,
  };
  const path = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}s`;
  const body = { apiVersion: "admissionregistration.k8s.io/v1", kind, metadata: { name: api.namespace } };
  const created = await api.client.call("POST", path, { ...body, webhooks: [webhook] });
  try {
    if (created.status !== 201) throw new Error(created.text);
    // Another API server notices configurations with a delay.
    await until(
      () => api.client.call("POST", `${api.base}/configmaps?dryRun=All`, configMap(probe)),
      ({ headers }) => headers["warning"]?.includes(api.namespace) === true,
    );
    await run(server);
  } finally {
    await api.client.call("DELETE", `${path}/${api.namespace}`);
    await server.close();
  }
}
