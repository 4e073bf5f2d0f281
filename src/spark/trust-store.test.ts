import { createHash } from "node:crypto";
import { rootCertificates } from "node:tls";
import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { buildKeyStore, writeTrustStore } from "./trust-store.ts";

test("a Java key store contains its number of certificates and ends with the keyed checksum", () => {
  const store = buildKeyStore([Buffer.from("one"), Buffer.from("two")], { created: 1, password: "changeit" });
  expect(store.readUInt32BE(0)).toBe(0xfeedfeed);
  expect(store.readUInt32BE(8)).toBe(2);
  const content = store.subarray(0, -20);
  const key = Buffer.from("changeit", "utf16le").swap16();
  const digest = createHash("sha1").update(key).update("Mighty Aphrodite").update(content).digest();
  expect(store.subarray(-20)).toEqual(digest);
});

test("the trust store contains the certificates that the system trusts", () => {
  const bundle = rootCertificates.slice(0, 3).join("\n");
  const host = testHost({
    files: {
      "/etc/ssl/certs/ca-certificates.crt": bundle,
      "/jre/cacerts": { link: "/etc/ssl/certs/java/cacerts" },
    },
  });
  writeTrustStore(host, "/jre/cacerts");
  const bytes = host.files.readBytes("/jre/cacerts");
  expect(Buffer.from(bytes ?? []).readUInt32BE(8)).toBe(3);
});
