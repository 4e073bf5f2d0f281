import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { bitString, identifier, integer, octetString, sequence, setOf, tagged, text } from "./der.ts";

/** Content of a certificate request in a test. */
interface TestRequestOptions {
  /** @default a new EC P-256 key */
  readonly privateKey?: KeyObject;
  readonly commonName?: string;
  readonly organizations?: readonly string[];
  readonly dnsName?: string;
  /** Changes the signed bytes, so that the signature is wrong. @default it does not */
  readonly damage?: (signed: Uint8Array) => Uint8Array;
}

/** Digest and identifier of the signature algorithm of each type of key. */
const algorithms: Readonly<Record<string, readonly [digest: string | null, identifier: string]>> = {
  ec: ["sha256", "1.2.840.10045.4.3.2"],
  rsa: ["sha256", "1.2.840.113549.1.1.11"],
  ed25519: [null, "1.3.101.112"],
};

/** Generates an EC P-256 key. */
export function testKey(): KeyObject {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
}

/** Builds a certificate request (PKCS #10). Returns PEM. */
export function testCertificateRequest(options: TestRequestOptions = {}): string {
  const {
    privateKey = testKey(),
    commonName = "alice",
    organizations = [],
    dnsName,
    damage = (bytes) => bytes,
  } = options;
  const name = (type: string, value: string) => setOf(sequence(identifier(type), text(value)));
  const subject = sequence(...organizations.map((value) => name("2.5.4.10", value)), name("2.5.4.3", commonName));
  const info = sequence(
    integer(Buffer.from([0])),
    subject,
    createPublicKey(privateKey).export({ type: "spki", format: "der" }),
    tagged(0xa0, dnsName === undefined ? Buffer.from([]) : extensionRequest(dnsName)),
  );
  const found = algorithms[privateKey.asymmetricKeyType ?? ""];
  if (found === undefined) throw new RangeError(`no algorithm for ${privateKey.asymmetricKeyType}`);
  const [digest, algorithm] = found;
  const der = sequence(damage(info), sequence(identifier(algorithm)), bitString(sign(digest, info, privateKey)));
  const label = "CERTIFICATE REQUEST";
  return `-----BEGIN ${label}-----\n${Buffer.from(der).toString("base64")}\n-----END ${label}-----\n`;
}

function extensionRequest(dnsName: string): Uint8Array {
  const names = sequence(tagged(0x82, Buffer.from(dnsName)));
  const extension = sequence(identifier("2.5.29.17"), octetString(names));
  return sequence(identifier("1.2.840.113549.1.9.14"), setOf(sequence(extension)));
}
