import { expect, test } from "vitest";
import { isSubmitError, submitError } from "../../errors/submit-error.ts";
import { testHost } from "../../host/test-host.ts";
import { resourceTypes } from "../../kube/resources.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { testApi } from "../../kube-client/test-api.ts";
import { explainRejection } from "./explain-rejection.ts";

test("explainRejection returns other errors than rejections unchanged", () => {
  const missing = submitError("SUBMIT_ERR_APP_RESOURCE_MISSING", {});
  expect(explainRejection(missing, [], 0)).toBe(missing);
  const other = new Error("x");
  expect(explainRejection(other, [], 0)).toBe(other);
});

test("explainRejection keeps the message, and puts cause and next step into the hint", async () => {
  const message =
    'pods "drv" is forbidden: error looking up service account ns/nobody: serviceaccount "nobody" not found';
  const { error, explained } = await refusedWith(message);
  expect(explained.message).toBe(error.message);
  expect(explained.issues[0].hint).toMatch(/The service account nobody .* does not exist.*Create/);
});

test("explainRejection ends a policy's message before the next step", async () => {
  const { explained } = await refusedWith(
    `pods "drv" is forbidden: ValidatingAdmissionPolicy 'teams' with binding 'teams' denied request: pods need a label team`,
  );
  expect(explained.issues[0].hint).toMatch(/pods need a label team\. Follow/);
});

async function refusedWith(message: string) {
  const body = {
    kind: "Status",
    status: "Failure",
    reason: "Forbidden",
    message,
    details: { name: "drv", kind: "pods" },
    code: 403,
  };
  const { clock } = testHost();
  const { transport } = testApi(() => ({ status: 403, body }));
  const client = kubeClient({
    transport,
    clock,
    server: "https://api",
    requestTimeoutMs: 5000,
    log: () => {},
  });
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "drv" } };
  const error = await client
    .create({ type: resourceTypes.pod, namespace: "ns", object: pod })
    .catch((reason: unknown) => reason);
  const explained = explainRejection(error, [], 0);
  if (!isSubmitError(error) || !isSubmitError(explained)) throw error;
  return { error, explained };
}
