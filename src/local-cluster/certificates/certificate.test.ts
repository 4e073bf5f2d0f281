import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { createAuthority, createServerCertificate } from "./certificate.ts";

const now = Date.UTC(2026, 0, 31, 12);
const machine = {
  clock: { now: () => now, monotonic: () => 0, sleep: async () => {}, after: () => () => {} },
  random: { bytes: (count: number) => new Uint8Array(count).fill(0xab), uuid: () => "", fraction: () => 0 },
};

test("an authority signs a server's certificate for all its names", () => {
  const authority = createAuthority(machine, "an authority");
  const server = createServerCertificate(machine, {
    authority,
    name: "a server",
    names: ["localhost", "kubernetes.default.svc", "127.90.0.1"],
  });
  const root = new X509Certificate(authority.certificatePem);
  const leaf = new X509Certificate(server.certificatePem);
  expect(root.ca).toBe(true);
  expect(leaf.ca).toBe(false);
  expect(leaf.checkIssued(root)).toBe(true);
  expect(leaf.verify(root.publicKey)).toBe(true);
  expect(leaf.checkPrivateKey(server.privateKey)).toBe(true);
  expect(leaf.checkHost("kubernetes.default.svc")).toBe("kubernetes.default.svc");
  expect(leaf.checkIP("127.90.0.1")).toBe("127.90.0.1");
  expect(leaf.checkIP("127.90.0.2")).toBeUndefined();
  expect(new Date(leaf.validFrom).getTime()).toBe(now - 3_600_000);
});
