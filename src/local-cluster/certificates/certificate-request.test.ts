import { createPublicKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { createAuthority, signClientCertificate } from "./certificate.ts";
import { parseCertificateRequest } from "./certificate-request.ts";
import { testCertificateRequest, testKey } from "./test-certificate-request.ts";

const now = Date.UTC(2026, 0, 31, 12);
const machine = {
  clock: { now: () => now, monotonic: () => 0, sleep: async () => {}, after: () => () => {} },
  random: { bytes: (count: number) => new Uint8Array(count).fill(0xab), uuid: () => "", fraction: () => 0 },
};

test("a certificate has the subject, the key and the names of its request", () => {
  const privateKey = testKey();
  const pem = testCertificateRequest({
    ...{ privateKey, commonName: "alice", organizations: ["team", "other"], dnsName: "a.example.com" },
  });
  const request = parseCertificateRequest(pem);
  expect(request.organizations).toEqual(["team", "other"]);
  const authority = createAuthority(machine, "an authority");
  const certificate = new X509Certificate(
    signClientCertificate(machine, {
      ...{ authority, request, usages: ["digital signature", "key encipherment"] },
      ...{ notBefore: now, notAfter: now + 600_000 },
    }),
  );
  expect(certificate.subject).toBe("O=team\nO=other\nCN=alice");
  expect(certificate.subjectAltName).toBe("DNS:a.example.com");
  expect(certificate.checkPrivateKey(privateKey)).toBe(true);
  expect(certificate.verify(createPublicKey(authority.certificatePem))).toBe(true);
  expect(certificate.checkIssued(new X509Certificate(authority.certificatePem))).toBe(true);
  expect(Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)).toBe(600_000);
  expect(certificate.ca).toBe(false);
});

test.each<[string, string, string]>([
  ["text", "malformed", "PEM block type must be CERTIFICATE REQUEST"],
  ["a certificate", createAuthority(machine, "x").certificatePem, "PEM block type must be CERTIFICATE REQUEST"],
  ["no DER", block(Buffer.from("malformed")), "asn1: syntax error: data truncated"],
  ["an integer", block(Buffer.from([2, 1, 0])), "asn1: structure error: tags don't match"],
  ["two values", block(Buffer.from([2, 1, 0, 2, 1, 0])), "asn1: syntax error: trailing data"],
  ["an endless length", block(Buffer.from([0x30, 0x80, 0, 0])), "asn1: syntax error: data truncated"],
  ["a length of five bytes", block(Buffer.from([0x30, 0x85, 1, 0, 0, 0, 0])), "asn1: syntax error: data truncated"],
  [
    "another subject than the signed one",
    testCertificateRequest({ damage: (bytes) => replaceText(bytes, "alice", "mlice") }),
    "x509: ECDSA verification failure",
  ],
])("rejects %s", (_, pem, message) => {
  expect(() => parseCertificateRequest(pem)).toThrow(message);
});

function replaceText(bytes: Uint8Array, before: string, after: string): Uint8Array {
  return Buffer.from(Buffer.from(bytes).toString("latin1").replace(before, after), "latin1");
}

function block(bytes: Uint8Array): string {
  const label = "CERTIFICATE REQUEST";
  return `-----BEGIN ${label}-----\n${Buffer.from(bytes).toString("base64")}\n-----END ${label}-----\n`;
}

test.each([
  ["RSA", generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey],
  ["Ed25519", generateKeyPairSync("ed25519").privateKey],
])("accepts a key of %s", (_, privateKey) => {
  const { publicKeyInfo } = parseCertificateRequest(testCertificateRequest({ privateKey }));
  expect(Buffer.from(publicKeyInfo)).toEqual(createPublicKey(privateKey).export({ type: "spki", format: "der" }));
});
