import { expect, test } from "vitest";
import { submitError } from "../../errors/submit-error.ts";
import { quotaObstacle } from "./quota-obstacle.ts";

function rejected(message: string) {
  const call = { method: "POST", url: "https://api/pods", server: "https://api", message, namespace: "jobs" };
  return submitError("SUBMIT_ERR_KUBE_QUOTA", call, { cause: { code: 403, message } });
}

const pod = 'pods "pi-driver" is forbidden: ';

test("a submission waits while others use its quota", () => {
  const message = `${pod}exceeded quota: small, requested: pods=1,requests.cpu=500m, used: pods=3,requests.cpu=2, limited: pods=3,requests.cpu=2`;
  expect(quotaObstacle(rejected(message))).toBe(
    "The quota small is exhausted: it needs pods=1,requests.cpu=500m; pods=3,requests.cpu=2 of pods=3,requests.cpu=2 is used.",
  );
});

test.each([
  rejected(`${pod}exceeded quota: small, requested: requests.cpu=4, used: requests.cpu=0, limited: requests.cpu=2500m`),
  rejected(`${pod}failed quota: small: must specify limits.cpu for: spark-kubernetes-driver`),
  new Error("exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1"),
])("it does not wait for what never fits, or for another failure", (error) => {
  expect(quotaObstacle(error)).toBeUndefined();
});
