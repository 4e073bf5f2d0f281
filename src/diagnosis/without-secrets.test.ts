import { expect, test } from "vitest";
import type { Diagnosis } from "./diagnosis.ts";
import { secretsOf } from "./secrets.ts";
import { observe } from "./test-observation.ts";
import { withoutSecrets } from "./without-secrets.ts";

function shown(text: string, properties: Readonly<Record<string, string>> = {}) {
  const diagnosis: Diagnosis = {
    ...{ cause: "application-exception", isTerminal: true, message: text, nextStep: "Look." },
    evidence: [{ in: "log", text }],
  };
  const { message, evidence } = withoutSecrets(diagnosis, secretsOf(observe({ properties })));
  return { message, evidence: evidence.map((one) => one.text) };
}

test.each([
  ["cannot open jdbc:db://h/x?user=me&password=hunter2&ssl=1", "hunter2"],
  ["cannot fetch https://me:hunter2@repo/x.jar", "hunter2"],
  ["refused: Authorization: Bearer abcdefghijkl", "abcdefghijkl"],
  ['refused: {"access_token": "abc", "x": 1}', "abc"],
  ["key AKIAABCDEFGHIJKLMNOP is unknown", "AKIAABCDEFGHIJKLMNOP"],
])("hides the secret in %s", (text, secret) => {
  const { message, evidence } = shown(text);
  expect(message).not.toContain(secret);
  expect(message).toContain("(redacted)");
  // The remainder is a verbatim part of the text.
  expect(evidence.every((one) => text.startsWith(one) && one !== "")).toBe(true);
});

test("hides values of secret settings, but not names and classes", () => {
  const properties = {
    "spark.db.password": "open-sesame",
    "spark.s3.credentials.provider": "com.example.Provider",
  };
  expect(shown("open-sesame is wrong for com.example.Provider", properties).message).toBe(
    "*********(redacted) is wrong for com.example.Provider",
  );
});

test.each([
  'secret "keytab" not found',
  "failed to fetch anonymous token: unexpected status: 403 Forbidden",
  "exceeded quota: q, requested: secrets=1, used: count/secrets=5, limited: secrets=5",
])("keeps ordinary text: %s", (text) => {
  expect(shown(text)).toEqual({ message: text, evidence: [text] });
});
