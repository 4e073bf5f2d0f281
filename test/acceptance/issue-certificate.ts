import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";
import {
  bitString,
  boolean,
  identifier,
  integer,
  octetString,
  sequence,
  setOf,
  tagged,
  text,
  utcTime,
} from "../../src/local-cluster/certificates/der.ts";

/** A certificate with its private key; texts are PEM. */
export interface TestCertificate {
  readonly name: string;
  readonly privateKey: KeyObject;
  readonly certificate: string;
  readonly key: string;
}

interface CertificateRequest {
  readonly name: string;
  /** @default signed with its own key */
  readonly issuer?: TestCertificate;
  /** Host names and IPv4 addresses. @default none */
  readonly names?: readonly string[];
  readonly isAuthority?: boolean;
  /** Days until it starts and ends to be valid. @default -1 and 1 */
  readonly days?: readonly [number, number];
  /** @default a new EC P-256 key */
  readonly privateKey?: KeyObject;
}

const dayMs = 86_400_000;
const ecdsaWithSha256 = sequence(identifier("1.2.840.10045.4.3.2"));

/** Creates a certificate for tests. Authorities have EC keys. */
export function issueCertificate(request: CertificateRequest): TestCertificate {
  const { name, names = [], isAuthority = false, days = [-1, 1], issuer } = request;
  const privateKey = request.privateKey ?? generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const [start, end] = days;
  const alternativeNames = names.map((item) =>
    isIP(item) === 4 ? tagged(0x87, Buffer.from(item.split(".").map(Number))) : tagged(0x82, Buffer.from(item)),
  );
  const extensions = [
    extension("2.5.29.19", isAuthority ? sequence(boolean(true)) : sequence()),
    ...(names.length === 0 ? [] : [extension("2.5.29.17", sequence(...alternativeNames))]),
  ];
  const content = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    commonName(issuer?.name ?? name),
    sequence(utcTime(Date.now() + start * dayMs), utcTime(Date.now() + end * dayMs)),
    commonName(name),
    createPublicKey(privateKey).export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(...extensions)),
  );
  const signature = sign("sha256", content, issuer?.privateKey ?? privateKey);
  const bytes = Buffer.from(sequence(content, ecdsaWithSha256, bitString(signature)));
  const lines = bytes.toString("base64").replace(/.{1,64}/g, "$&\n");
  return {
    ...{ name, privateKey, certificate: `-----BEGIN CERTIFICATE-----\n${lines}-----END CERTIFICATE-----\n` },
    key: String(privateKey.export({ type: "pkcs8", format: "pem" })),
  };
}

function commonName(name: string): Uint8Array {
  return sequence(setOf(sequence(identifier("2.5.4.3"), text(name))));
}

function extension(type: string, value: Uint8Array): Uint8Array {
  return sequence(identifier(type), octetString(value));
}
