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
  const result = parseKubernetesMaster(text, { masterAddress: "checked" });
  expect(result.ok && result.value.apiServer).toBe(apiServer);
  expect(result.ok && result.value.master).toBe(`k8s://${apiServer}`);
  expect(result.ok && result.value.log.map((line) => `${line.level} ${line.text}`)).toEqual(log);
});

test.each([
  ["k8s:foo", "SUBMIT_ERR_MASTER_PREFIX", "requirement failed: Kubernetes master URL must start with k8s://."],
  ["k8s://ftp://h", "SUBMIT_ERR_MASTER_SCHEME", "Invalid Kubernetes master scheme: ftp found in URL: ftp://h"],
  ["k8s://https://", "SUBMIT_ERR_MASTER_URL", "Expected authority at index 8: https://"],
  ["k8s://http://bad host:1", "SUBMIT_ERR_MASTER_URL", "Illegal character in authority at index 7: http://bad host:1"],
  ["k8s://http://[::1", "SUBMIT_ERR_MASTER_URL", "Expected closing bracket for IPv6 address at index 11: http://[::1"],
  ["k8s://http://h:abc", "SUBMIT_ERR_MASTER_URL", "An error has occurred. This is not a valid address: http://h:abc"],
  ["k8s://", "SUBMIT_ERR_MASTER_URL", "Expected authority at index 8: https://"],
  ["k8s://://h", "SUBMIT_ERR_MASTER_URL", "Expected scheme name at index 0: ://h"],
  ["k8s:// https://h", "SUBMIT_ERR_MASTER_URL", "Illegal character in scheme name at index 0:  https://h"],
  ["k8s://https://h/ a", "SUBMIT_ERR_MASTER_URL", "Illegal character in path at index 10: https://h/ a"],
  ["k8s://https://h/|", "SUBMIT_ERR_MASTER_URL", "Illegal character in path at index 10: https://h/|"],
  ["k8s://https://h/%zz", "SUBMIT_ERR_MASTER_URL", "Malformed escape pair at index 10: https://h/%zz"],
])("rejects %s with Spark's message", (text, code, message) => {
  const result = parseKubernetesMaster(text, { masterAddress: "checked" });
  expect(result).toMatchObject({ ok: false, issues: [{ code, message }] });
});

test.each([
  ["k8s://", "https://"],
  ["k8s:///", "https:///"],
  ["k8s://:443", "https://:443"],
  ["k8s://https:///", "https:///"],
  ["k8s://https://h:99999", "https://h:99999"],
  ["k8s://999.1.1.1:1", "https://999.1.1.1:1"],
])("accepts the invalid address %s when Spark reports it only later", (text, apiServer) => {
  expect(parseKubernetesMaster(text, { masterAddress: "checked" }).ok).toBe(false);
  const found = parseKubernetesMaster(text, { masterAddress: "spark" });
  expect(found.ok && found.value.apiServer).toBe(apiServer);
});

test.each(["k8s://https://", "k8s://https://h:abc", "k8s://https://h/%zz"])(
  "rejects %s at once, as Spark does",
  (text) => {
    expect(parseKubernetesMaster(text, { masterAddress: "spark" }).ok).toBe(false);
  },
);

test.each(["k8s://https://h/a%20b?c=d#e", "k8s://[::1]:6443", "k8s://https://u:p@h:1/x"])(
  "%s is an address",
  (text) => {
    for (const masterAddress of ["checked", "spark"] as const)
      expect(parseKubernetesMaster(text, { masterAddress }).ok).toBe(true);
  },
);
