import { type TestApi, testApi } from "../../../test-api.ts";
import { isObject, type JsonObject } from "../../json.ts";
import { sendRequest } from "../../test-requests.ts";

/** The request in a review that a test webhook received. */
export type ReviewRequest = JsonObject & { readonly uid: string; readonly name?: string };

/** Returns the response of a review, without its uid; a text is sent as it is. */
type Respond = (request: ReviewRequest) => JsonObject | string | Promise<JsonObject | string>;

/** An API whose webhooks are functions of the test. */
export interface WebhookApi extends TestApi {
  /** Configures a webhook that admits the creation of ConfigMaps, unless `fields` have other rules. */
  readonly addWebhook: (type: "mutating" | "validating", name: string, webhook: TestWebhook) => Promise<void>;
  /** Names of the called webhooks, in order. */
  readonly called: readonly string[];
  /** Requests that webhooks received. */
  readonly requests: readonly ReviewRequest[];
}

interface TestWebhook {
  readonly respond?: Respond;
  readonly fields?: object;
}

/** Returns a response that allows a request, with a JSON patch. */
export function patching(...operations: readonly object[]): JsonObject {
  const patch = Buffer.from(JSON.stringify(operations)).toString("base64");
  return { allowed: true, patch, patchType: "JSONPatch" };
}

export const anyRule = (fields: object = {}) => ({
  ...{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["configmaps"] },
  ...fields,
});

/** Creates an API whose webhooks are functions. The configuration of a webhook has its name. */
export function webhookApi(): WebhookApi {
  const handlers = new Map<string, Respond>();
  const called: string[] = [];
  const requests: ReviewRequest[] = [];
  const api = testApi(undefined, {
    webhooks: {
      async send({ address, review }) {
        const name = (address.url ?? "").slice("https://127.0.0.1/".length);
        const { request } = JSON.parse(review);
        if (!isRequest(request)) throw new Error("no review was sent");
        called.push(name);
        requests.push(request);
        const response = await handlers.get(name)?.(request);
        if (typeof response === "string") return response;
        return JSON.stringify({
          ...{ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" },
          response: { uid: request.uid, ...response },
        });
      },
    },
  });
  return {
    ...{ ...api, called, requests },
    async addWebhook(type, name, { respond = () => ({ allowed: true }), fields = {} }) {
      handlers.set(name, respond);
      const webhook = {
        ...{ name: `${name}.example.com`, clientConfig: { url: `https://127.0.0.1/${name}` } },
        ...{ rules: [anyRule()], sideEffects: "None", admissionReviewVersions: ["v1"], ...fields },
      };
      const kind = type === "mutating" ? "MutatingWebhookConfiguration" : "ValidatingWebhookConfiguration";
      const body = { apiVersion: "admissionregistration.k8s.io/v1", kind, metadata: { name }, webhooks: [webhook] };
      const path = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}s`;
      const { status, body: stored } = await sendRequest(api, "POST", { path, body });
      if (status !== 201) throw new Error(JSON.stringify(stored));
    },
  };
}

function isRequest(value: unknown): value is ReviewRequest {
  return isObject(value) && typeof value["uid"] === "string";
}
