import { expect, test } from "vitest";
import { pendingDrivers, startGateway } from "./gateway-process.ts";

const path = "/api/v1/spark-submit";

function requestFor(id: string, pod: string, more: object = {}) {
  const settings = [
    "spark.kubernetes.namespace=default",
    `spark.kubernetes.driver.pod.name=${pod}`,
    `spark.kubernetes.driver.label.sparkoperator.k8s.io/submission-id=a`,
  ];
  const conf = settings.flatMap((setting) => ["--conf", setting]);
  const options = ["--master", "k8s://https://10.0.0.1:443", "--deploy-mode", "cluster", "--class", "Main"];
  const args = [...options, "--name", "app", ...conf, "local:///opt/app.jar", "a b"];
  return { submission_id: id, spark_submit_args: args, ...more };
}

test("the gateway submits once for each ID of the operator, and rejects what has another owner or an invalid template", async () => {
  const { send } = await startGateway(...pendingDrivers);
  const submit = (body: unknown) => send("POST", path, { body });
  const longId = "i".repeat(300);
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: "4f2ad1c2-0000-4000-8000-000000000001" };
  const template = { metadata: { creationTimestamp: null, labels: { team: "data" } }, spec: { containers: null } };

  const first = await submit(requestFor(longId, "one-driver", { driver_pod_template: template }));
  expect(first).toMatchObject({
    status: 201,
    json: {
      ...{ submission_id: longId, app_name: "app", driver_pod_name: "one-driver", namespace: "default" },
      ...{ duplicate_submission: false, spark_app_id: expect.stringMatching(/^spark-/) },
      ...{ driver_pod_uid: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    },
  });
  const again = await submit(requestFor(longId, "one-driver"));
  expect(again).toMatchObject({
    status: 200,
    json: { ...first.json, duplicate_submission: true, message: expect.any(String) },
  });
  expect(await submit(requestFor("other", "one-driver"))).toMatchObject({
    status: 409,
    json: { submission_id: "other", status: 409, error_code: "DRIVER_POD_ALREADY_EXISTS" },
  });
  // The rejected ID is free again.
  expect(await submit(requestFor("other", "other-driver"))).toMatchObject({ status: 201 });

  const invalid = { metadata: { ownerReferences: [owner] }, spec: { containers: [{ name: "Not A Name" }] } };
  const rejected = await submit(requestFor("bad", "bad-driver", { driver_pod_template: invalid }));
  expect(rejected).toMatchObject({ status: 422, json: { error_code: "INVALID_POD_TEMPLATE" } });
  const asOther = requestFor("proxied", "proxied-driver");
  const proxied = { ...asOther, spark_submit_args: ["--proxy-user", "bob", ...asOther.spark_submit_args] };
  expect(await submit(proxied)).toMatchObject({ status: 400, json: { error_code: "INVALID_SPARK_SUBMIT_ARGS" } });
  const wrong = await submit({ submission_id: "bad", spark_submit_args: ["--master", "k8s://a", "--kill", "x"] });
  expect(wrong).toMatchObject({ status: 400, json: { error_code: "INVALID_SPARK_SUBMIT_ARGS" } });
  expect(await submit("{")).toMatchObject({ status: 400, json: { error_code: "BAD_REQUEST", submission_id: "" } });
  expect(await send("GET", path)).toMatchObject({ status: 405, json: { error_code: "METHOD_NOT_ALLOWED" } });
  expect(await send("POST", path, { body: "a", headers: { "content-type": "text/plain" } })).toMatchObject({
    status: 415,
    json: { error_code: "UNSUPPORTED_MEDIA_TYPE", timestamp: expect.any(String) },
  });
});
