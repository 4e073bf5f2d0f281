import { afterEach, describe, expect, test } from "vitest";
import { nodeHost } from "../../../src/host/node-host.ts";
import { createAuthority } from "../../../src/local-cluster/certificates/certificate.ts";
import { testCertificateRequest } from "../../../src/local-cluster/certificates/test-certificate-request.ts";
import { targets } from "../target.ts";
import { apiNamespace } from "./api-namespace.ts";
import { mergePatch, table } from "./objects.ts";

const collection = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const base64 = (text: string) => Buffer.from(text).toString("base64");
const pem = testCertificateRequest({ organizations: ["team"] });

describe.each(targets())("$name", ({ open }) => {
  const api = apiNamespace(open);
  // Requests belong to no namespace: the names of a test contain its namespace.
  const path = (part = "") => `${collection}/${api.namespace}${part}`;
  const signingRequest = (spec: object = {}) => ({
    ...{ apiVersion: "certificates.k8s.io/v1", kind: "CertificateSigningRequest", metadata: { name: api.namespace } },
    spec: { request: base64(pem), signerName: "example.com/signer", usages: ["client auth"], ...spec },
  });
  const create = (spec?: object) => api.client.call("POST", collection, signingRequest(spec));
  const change = (part: string, body: object) => api.client.call("PATCH", path(part), body, mergePatch);
  const condition = (type: string, more: object = {}) => ({ type, status: "True", reason: "R", ...more });
  const messageOf = async (response: ReturnType<typeof change>) => (await response).body.message;

  afterEach(async () => {
    await api.client.call("DELETE", path());
  });

  test("names the author of a request, and keeps the request", async () => {
    const { status, body } = await create({ username: "other", expirationSeconds: 3600 });
    expect([status, body.status]).toEqual([201, {}]);
    expect(body.spec).toMatchObject({ expirationSeconds: 3600, groups: expect.arrayContaining(["system:masters"]) });
    expect(body.spec).not.toMatchObject({ username: "other" });
    const changed = await change("", { metadata: { labels: { a: "b" } }, spec: { usages: ["any"] } });
    expect([changed.status, changed.body.spec, changed.body.metadata.labels]).toEqual([200, body.spec, { a: "b" }]);
    const selector = `spec.signerName%3Dexample.com/signer,metadata.name%3D${api.namespace}`;
    const { body: listed } = await api.client.call("GET", `${collection}?fieldSelector=${selector}`, undefined, table);
    expect(listed.rows?.[0]?.cells.at(-1)).toBe("Pending");
  });

  test("is approved once, by its own path only", async () => {
    await create();
    const approved = await change("/approval", {
      ...{ metadata: { annotations: { a: "b" } } },
      status: { conditions: [condition("Approved")], certificate: base64("x") },
    });
    expect(approved.body.metadata.annotations).toEqual({ a: "b" });
    const time = expect.stringMatching(/^2\d{3}-/);
    expect(approved.body.status).toEqual({
      conditions: [condition("Approved", { lastUpdateTime: time, lastTransitionTime: time })],
    });
    expect(await messageOf(change("/approval", { status: { conditions: [] } }))).toContain(
      'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
    );
    const both = { status: { conditions: [condition("Approved"), condition("Denied")] } };
    expect(await messageOf(change("/approval", both))).toContain(
      "Approved and Denied conditions are mutually exclusive",
    );
  });

  test("gets a certificate once, by its status path only", async () => {
    await create();
    const denied = change("/status", { status: { conditions: [condition("Denied")] } });
    expect(await messageOf(denied)).toContain('updates may not add a condition of type "Denied"');
    const { certificatePem } = createAuthority(nodeHost(), "x");
    const issued = await change("/status", { status: { certificate: base64(certificatePem) } });
    expect([issued.status, issued.body.status]).toEqual([200, { certificate: base64(certificatePem) }]);
    const again = change("/status", { status: { certificate: base64(certificatePem.repeat(2)) } });
    expect(await messageOf(again)).toContain("updates may not modify existing certificate content");
  });

  test("is rejected with Kubernetes' messages", async () => {
    const { status, body } = await create({ request: base64("x"), usages: ["any", "any", "x"], signerName: "x/y" });
    expect(status).toBe(422);
    expect(body.details.causes?.map(({ field, message }) => `${field}: ${message?.split(": supported")[0]}`)).toEqual([
      `spec.request: Invalid value: "${base64("x")}": PEM block type must be CERTIFICATE REQUEST`,
      'spec.usages[2]: Unsupported value: "x"',
      'spec.usages[1]: Duplicate value: "any"',
      'spec.signerName: Invalid value: "x": should be a domain with at least two segments separated by dots',
    ]);
    const signerName = "kubernetes.io/kube-apiserver-client";
    const masters = base64(testCertificateRequest({ organizations: ["system:masters"] }));
    const forbidden = await create({ signerName, request: masters });
    expect([forbidden.status, forbidden.body.message]).toEqual([
      403,
      expect.stringContaining(`use of ${signerName} signer with system:masters group is not allowed`),
    ]);
  });
});
