import { createPrivateKey, X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { createAuthority } from "../../../certificates/certificate.ts";
import { testCertificateRequest, testKey } from "../../../certificates/test-certificate-request.ts";
import { type TestApi, testApi, testAuthority } from "../../../test-api.ts";
import { mergePatch, sendRequest } from "../../test-requests.ts";

const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const one = `${path}/r`;
const clientSigner = "kubernetes.io/kube-apiserver-client";

const base64 = (text: string) => Buffer.from(text).toString("base64");

const signingRequest = (spec: object = {}, pem = testCertificateRequest()) => ({
  ...{ apiVersion: "certificates.k8s.io/v1", kind: "CertificateSigningRequest", metadata: { name: "r" } },
  spec: { request: base64(pem), signerName: "example.com/signer", usages: ["client auth"], ...spec },
});

const create = (api: TestApi, body: object = signingRequest()) => sendRequest(api, "POST", { path, body });

const change = (api: TestApi, part: string, body: object) =>
  sendRequest(api, "PATCH", { path: `${one}${part}`, body, type: mergePatch });

const condition = (type: string, more: object = {}) => ({ type, status: "True", reason: "R", ...more });

test("a request names its author, whatever the author writes", async () => {
  const api = testApi();
  const { status, body } = await create(api, signingRequest({ username: "other", groups: ["g"], extra: { a: ["b"] } }));
  expect(status).toBe(201);
  expect(body.spec).toMatchObject({
    ...{ username: "firesteel-admin", groups: ["system:masters", "system:authenticated"] },
  });
  expect([body.spec.extra, body.status]).toEqual([undefined, {}]);
});

test("the object's own path changes neither the request nor its state", async () => {
  const api = testApi();
  const { body: before } = await create(api);
  const { status, body } = await change(api, "", {
    ...{ metadata: { labels: { a: "b" } }, spec: { usages: ["any"] } },
    status: { conditions: [condition("Approved")] },
  });
  expect([status, body.spec, body.status, body.metadata.labels]).toEqual([200, before.spec, {}, { a: "b" }]);
});

test("an approval sets conditions and metadata, with times, but no certificate", async () => {
  const api = testApi();
  await create(api);
  const { body } = await change(api, "/approval", {
    metadata: { annotations: { a: "b" } },
    status: { conditions: [condition("Approved")], certificate: base64("x") },
  });
  const now = expect.stringMatching(/^2\d{3}-/);
  expect(body.metadata.annotations).toEqual({ a: "b" });
  expect(body.status).toEqual({
    conditions: [condition("Approved", { lastUpdateTime: now, lastTransitionTime: now })],
  });
});

test("the status path sets a certificate once, and no decision", async () => {
  const api = testApi();
  await create(api);
  const { certificatePem } = createAuthority(api.host, "x");
  const decided = await change(api, "/status", { status: { conditions: [condition("Denied")] } });
  expect(decided.body.message).toContain('updates may not add a condition of type "Denied"');
  const issued = await change(api, "/status", { status: { certificate: base64(certificatePem) } });
  expect([issued.status, issued.body.status.certificate]).toEqual([200, base64(certificatePem)]);
  const other = await change(api, "/status", { status: { certificate: base64(`${certificatePem}${certificatePem}`) } });
  expect(other.body.message).toContain("updates may not modify existing certificate content");
});

test.each<[string, object, string]>([
  ["both decisions", { conditions: [condition("Denied"), condition("Approved")] }, "mutually exclusive"],
  [
    "a decision that is false",
    { conditions: [condition("Approved", { status: "False" })] },
    'supported values: "True"',
  ],
  ["equal conditions", { conditions: [condition("X"), condition("X")] }, 'Duplicate value: "X"'],
  ["a condition without a type", { conditions: [condition("")] }, "status.conditions[0].type: Required value"],
])("an approval rejects %s", async (_, status, message) => {
  const api = testApi();
  await create(api);
  const { status: code, body } = await change(api, "/approval", { status });
  expect([code, body.message]).toEqual([422, expect.stringContaining(message)]);
});

test("an approval keeps the decision", async () => {
  const api = testApi();
  await create(api);
  await change(api, "/approval", { status: { conditions: [condition("Approved")] } });
  const { body } = await change(api, "/approval", { status: { conditions: [] } });
  expect(body.message).toContain('updates may not remove a condition of type "Approved"');
});

test.each<[string, object, string]>([
  ["no usages", { usages: [] }, "spec.usages: Required value"],
  ["an unknown usage", { usages: ["x"] }, 'spec.usages[0]: Unsupported value: "x"'],
  ["a repeated usage", { usages: ["any", "any"] }, 'spec.usages[1]: Duplicate value: "any"'],
  ["a signer without a domain", { signerName: "x" }, "must be a fully qualified domain and path"],
  ["a signer's domain without a dot", { signerName: "x/y" }, "at least two segments separated by dots"],
  ["a short life", { expirationSeconds: 599 }, "may not specify a duration less than 600 seconds (10 minutes)"],
  ["no certificate request", { request: base64("x") }, "PEM block type must be CERTIFICATE REQUEST"],
])("rejects %s", async (_, spec, message) => {
  const { status, body } = await create(testApi(), signingRequest(spec));
  expect([status, body.message]).toEqual([422, expect.stringContaining(message)]);
});

test("rejects a client certificate of the group with all permissions", async () => {
  const pem = testCertificateRequest({ organizations: ["system:masters"] });
  const { status, body } = await create(testApi(), signingRequest({ signerName: clientSigner }, pem));
  expect([status, body.message]).toEqual([
    403,
    expect.stringContaining(`use of ${clientSigner} signer with system:masters group is not allowed`),
  ]);
});

test("an approved request for a client certificate is signed by the cluster's authority", async () => {
  const api = testApi();
  const privateKey = testKey();
  const pem = testCertificateRequest({ privateKey, commonName: "alice", organizations: ["team"] });
  await create(api, signingRequest({ signerName: clientSigner, expirationSeconds: 600 }, pem));
  await change(api, "/approval", { status: { conditions: [condition("Approved")] } });
  await api.host.advance(1);
  const { body } = await sendRequest(api, "GET", { path: one });
  const certificate = new X509Certificate(Buffer.from(body.status.certificate, "base64"));
  expect(certificate.subject).toBe("O=team\nCN=alice");
  expect(certificate.checkPrivateKey(createPrivateKey(privateKey.export({ type: "pkcs8", format: "pem" })))).toBe(true);
  expect(certificate.verify(new X509Certificate(testAuthority.certificatePem).publicKey)).toBe(true);
  expect(Date.parse(certificate.validTo)).toBe(api.host.clock.now() - 1 + 600_000);
});

test.each([
  [["client auth", "server auth"], "invalid usage for client certificate: server auth"],
  [["digital signature"], "missing required usage for client certificate: client auth"],
])("an approved request for %j fails", async (usages, message) => {
  const api = testApi();
  await create(api, signingRequest({ signerName: clientSigner, usages }));
  await change(api, "/approval", { status: { conditions: [condition("Approved")] } });
  await api.host.advance(1);
  const { body } = await sendRequest(api, "GET", { path: one });
  expect(body.status.conditions).toMatchObject([
    { type: "Approved" },
    { type: "Failed", status: "True", reason: "SignerValidationFailure", message },
  ]);
});

test("an approver needs permission for the signer", async () => {
  const api = testApi();
  await create(api);
  const impersonated = { "impersonate-user": "bob", "content-type": mergePatch };
  const rule = (resources: string[], verbs: string[], more: object = {}) => ({
    ...{ apiGroups: ["certificates.k8s.io"], resources, verbs },
    ...more,
  });
  const access = { apiVersion: "rbac.authorization.k8s.io/v1" };
  const roles = "clusterroles.rbac.authorization.k8s.io";
  const requests = ["certificatesigningrequests/approval"];
  api.put(roles, { ...access, kind: "ClusterRole", metadata: { name: "a" }, rules: [rule(requests, ["patch"])] });
  api.put("clusterrolebindings.rbac.authorization.k8s.io", {
    ...{ ...access, kind: "ClusterRoleBinding", metadata: { name: "a" } },
    roleRef: { kind: "ClusterRole", name: "a", apiGroup: "rbac.authorization.k8s.io" },
    subjects: [{ kind: "User", name: "bob" }],
  });
  const approve = async () => {
    const body = { status: { conditions: [condition("Approved")] } };
    const response = await api.call("PATCH", `${one}/approval`, { body, headers: impersonated });
    return { status: response.status, text: await response.text() };
  };
  const denied = await approve();
  expect([denied.status, denied.text]).toEqual([
    403,
    expect.stringContaining('user not permitted to approve requests with signerName \\"example.com/signer\\"'),
  ]);
  api.scope.store.update(roles, undefined, "a", (role) => ({
    ...role,
    rules: [rule(requests, ["patch"]), rule(["signers"], ["approve"], { resourceNames: ["example.com/*"] })],
  }));
  expect((await approve()).status).toBe(200);
});
