import { expect, test } from "vitest";
import { planSecretKeyRefs } from "./secret-key-refs.ts";
import { testDriver, testRequest } from "./test-driver.ts";

test("holds the parsed volumes and secret keys of the driver", () => {
  const settings = {
    "spark.kubernetes.driver.volumes.nfs.data.mount.path": "/data",
    "spark.kubernetes.driver.volumes.nfs.data.options.server": "nfs.example.com",
    "spark.kubernetes.driver.volumes.nfs.data.options.path": "/export",
    "spark.kubernetes.driver.secretKeyRef.TOKEN": "vault:token",
  };
  const driver = testDriver({ settings });
  expect(driver.volumes).toMatchObject([
    { type: "nfs", name: "data", mountPath: "/data", server: "nfs.example.com", path: "/export" },
  ]);
  expect(driver.secretKeyRefs).toEqual([{ variable: "TOKEN", secretName: "vault", key: "token" }]);
});

test.each(["a", "a:", "a:b:c"])("rejects the secret key %j", (text) => {
  const { conf } = testRequest({ settings: { "spark.kubernetes.executor.secretKeyRef.TOKEN": text } });
  expect(planSecretKeyRefs(conf, "executor")).toMatchObject({
    ok: false,
    issues: [{ code: "SUBMIT_ERR_SECRET_KEY_REF" }],
  });
});
