import { expect, test } from "vitest";
import { testDriver } from "../plan/test-driver.ts";
import { envSecrets } from "./env-secrets.ts";

test.each([
  ["db:password", { name: "db", key: "password" }],
  ["db:password::", { name: "db", key: "password" }],
  [":password", { name: "", key: "password" }],
])("parses %s as a key of a Secret", (text, secretKeyRef) => {
  const driver = testDriver({ settings: { "spark.kubernetes.driver.secretKeyRef.PASSWORD": text } });
  expect(envSecrets.contribute(driver)).toEqual({ env: [{ name: "PASSWORD", valueFrom: { secretKeyRef } }] });
  expect(envSecrets.checkUse?.(driver)).toEqual([]);
});

test.each(["db", "db:", "", "a:b:c"])("rejects %j", (text) => {
  const driver = testDriver({ settings: { "spark.kubernetes.driver.secretKeyRef.PASSWORD": text } });
  expect(envSecrets.checkUse?.(driver).map(({ message }) => message)).toEqual([
    "requirement failed: SecretKeyRef must be in the form name:key.",
  ]);
});
