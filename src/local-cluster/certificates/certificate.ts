import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { isIP } from "node:net";
import type { Clock, Random } from "../../host/host.ts";
import type { CertificateRequest } from "./certificate-request.ts";
import { bitString, boolean, identifier, integer, octetString, sequence, setOf, tagged, text, utcTime } from "./der.ts";

const ecdsaWithSha256 = sequence(identifier("1.2.840.10045.4.3.2"));

const extensions = {
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAlternativeName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyIdentifier: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
} as const;

const serverAuthentication = "1.3.6.1.5.5.7.3.1";
const clientAuthentication = "1.3.6.1.5.5.7.3.2";

/** A certificate with its private key; both also as PEM. */
export interface Certificate {
  readonly name: string;
  readonly privateKey: KeyObject;
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

type Machine = { readonly clock: Clock; readonly random: Random };

const hourMs = 3_600_000;
const validityMs = 365 * 24 * hourMs;

/** Generates an EC P-256 private key. */
export function newPrivateKey(): KeyObject {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
}

/** Creates an authority that signs server certificates. */
export function createAuthority(machine: Machine, name: string): Certificate {
  const privateKey = newPrivateKey();
  return issue(machine, {
    name,
    privateKey,
    issuer: { name, privateKey },
    extensions: authorityExtensions(privateKey),
  });
}

/** Creates a server certificate signed by an authority. @param names host names and IP addresses of the server */
export function createServerCertificate(
  machine: Machine,
  { authority, name, names }: { authority: Certificate; name: string; names: readonly string[] },
): Certificate {
  const privateKey = newPrivateKey();
  return issue(machine, { name, privateKey, issuer: authority, extensions: serverExtensions(authority, names) });
}

/** Name and key of an authority that signs certificates. */
export type Signer = Pick<Certificate, "name" | "privateKey">;

/** Content of a client's certificate. Times are ms since 1970. */
interface ClientCertificateRequest {
  readonly authority: Signer;
  readonly request: Pick<CertificateRequest, "subject" | "publicKeyInfo" | "alternativeNames">;
  readonly usages: readonly ClientUsage[];
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Bits of the key usage extension (RFC 5280, 4.2.1.3) that clients use. */
const keyUsageBits = { "digital signature": 0x80, "key encipherment": 0x20 } as const;

/** A usage of a client's key besides authentication. */
export type ClientUsage = keyof typeof keyUsageBits;

/** Signs a certificate that authenticates a client, for the subject, key and names of its request. Returns PEM. */
export function signClientCertificate({ random }: Pick<Machine, "random">, options: ClientCertificateRequest): string {
  const { authority, request, usages, notBefore, notAfter } = options;
  const { alternativeNames } = request;
  return signed(random, {
    issuer: authority,
    ...{ subject: request.subject, publicKeyInfo: request.publicKeyInfo, notBefore, notAfter },
    extensions: [
      extension(extensions.basicConstraints, sequence(), { isCritical: true }),
      ...keyUsageExtension(usages),
      extension(extensions.extendedKeyUsage, sequence(identifier(clientAuthentication))),
      extension(extensions.authorityKeyIdentifier, sequence(tagged(0x80, keyIdentifier(authority.privateKey)))),
      ...(alternativeNames === undefined ? [] : [extension(extensions.subjectAlternativeName, alternativeNames)]),
    ],
  });
}

function keyUsageExtension(usages: readonly ClientUsage[]): Uint8Array[] {
  const bits = usages.reduce((sum, usage) => sum | keyUsageBits[usage], 0);
  if (bits === 0) return [];
  const unused = 31 - Math.clz32(bits & -bits);
  return [extension(extensions.keyUsage, bitString(Buffer.from([bits]), unused), { isCritical: true })];
}

interface IssueRequest {
  readonly name: string;
  readonly privateKey: KeyObject;
  readonly issuer: Signer;
  readonly extensions: readonly Uint8Array[];
}

function issue({ clock, random }: Machine, { name, privateKey, ...request }: IssueRequest): Certificate {
  const now = clock.now();
  return {
    name,
    privateKey,
    certificatePem: signed(random, {
      ...request,
      ...{ subject: distinguishedName(name), publicKeyInfo: publicKeyInfo(privateKey) },
      ...{ notBefore: now - hourMs, notAfter: now + validityMs },
    }),
    privateKeyPem: String(privateKey.export({ type: "pkcs8", format: "pem" })),
  };
}

/** Content of a certificate. Subject and key are DER, times ms since 1970. */
interface Content {
  readonly issuer: Signer;
  readonly subject: Uint8Array;
  readonly publicKeyInfo: Uint8Array;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly extensions: readonly Uint8Array[];
}

/** Signs a certificate (RFC 5280, 4.1). Returns PEM. */
function signed(random: Random, { issuer, subject, notBefore, notAfter, ...content }: Content): string {
  const serial = random.bytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const body = sequence(
    // Version 3 is encoded as 2.
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    ecdsaWithSha256,
    distinguishedName(issuer.name),
    sequence(utcTime(notBefore), utcTime(notAfter)),
    subject,
    content.publicKeyInfo,
    tagged(0xa3, sequence(...content.extensions)),
  );
  const signature = sign("sha256", body, issuer.privateKey);
  return pem("CERTIFICATE", sequence(body, ecdsaWithSha256, bitString(signature)));
}

function publicKeyInfo(privateKey: KeyObject): Uint8Array {
  return createPublicKey(privateKey).export({ type: "spki", format: "der" });
}

function distinguishedName(commonName: string): Uint8Array {
  return sequence(setOf(sequence(identifier("2.5.4.3"), text(commonName))));
}

function authorityExtensions(privateKey: KeyObject): Uint8Array[] {
  return [
    extension(extensions.basicConstraints, sequence(boolean(true)), { isCritical: true }),
    // Bits 0 and 5: digitalSignature and keyCertSign.
    extension(extensions.keyUsage, bitString(Buffer.from([0x84]), 2), { isCritical: true }),
    extension(extensions.subjectKeyIdentifier, octetString(keyIdentifier(privateKey))),
  ];
}

function serverExtensions(authority: Certificate, names: readonly string[]): Uint8Array[] {
  return [
    extension(extensions.basicConstraints, sequence(), { isCritical: true }),
    extension(extensions.keyUsage, bitString(Buffer.from([0x80]), 7), { isCritical: true }),
    extension(extensions.extendedKeyUsage, sequence(identifier(serverAuthentication))),
    extension(extensions.authorityKeyIdentifier, sequence(tagged(0x80, keyIdentifier(authority.privateKey)))),
    extension(extensions.subjectAlternativeName, sequence(...names.map(alternativeName))),
  ];
}

/** Encodes an IPv4 address as four bytes, other names as text. */
function alternativeName(name: string): Uint8Array {
  return isIP(name) === 4 ? tagged(0x87, Buffer.from(name.split(".").map(Number))) : tagged(0x82, Buffer.from(name));
}

function extension(type: string, value: Uint8Array, { isCritical = false } = {}): Uint8Array {
  return sequence(identifier(type), ...(isCritical ? [boolean(true)] : []), octetString(value));
}

function keyIdentifier(privateKey: KeyObject): Uint8Array {
  return createHash("sha1").update(publicKeyInfo(privateKey)).digest();
}

function pem(label: string, bytes: Uint8Array): string {
  const lines = Buffer.from(bytes)
    .toString("base64")
    .replace(/.{1,64}/g, "$&\n");
  return `-----BEGIN ${label}-----\n${lines}-----END ${label}-----\n`;
}
