import { expect, test } from "vitest";
import { parseKubernetesMaster } from "./master.ts";

test.each([
  ["k8s://https://h:6443", "https://h:6443", []],
  [
    "k8s://h:6443/path",
    "https://h:6443/path",
    [
      "INFO No scheme specified for kubernetes master URL, so defaulting to https. Resolved URL is https://h:6443/path.",
    ],
  ],
  ["k8s://http://h", "http://h", ["WARN Kubernetes master URL uses HTTP instead of HTTPS."]],
  ["k8s://HTTPS://h", "HTTPS://h", []],
])("%s is the API at %s", (text, apiServer, log) => {
  const result = parseKubernetesMaster(text);
  expect(result.ok && result.value.apiServer).toBe(apiServer);
  expect(result.ok && result.value.master).toBe(`k8s://${apiServer}`);
  expect(result.ok && result.value.log.map((line) => `${line.level} ${line.text}`)).toEqual(log);
});

test.each([
  [
    "k8s:foo",
    "SUBMIT_ERR_MASTER_PREFIX",
    "requirement failed: Kubernetes master URL must start with k8s://.",
  ],
  [
    "k8s://ftp://h",
    "SUBMIT_ERR_MASTER_SCHEME",
    "Invalid Kubernetes master scheme: ftp found in URL: ftp://h",
  ],
])("%s is refused in Spark's words", (text, code, message) => {
  const result = parseKubernetesMaster(text);
  expect(result).toMatchObject({ ok: false, issues: [{ code, message }] });
});
