import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { tags } from "./der.ts";
import { contentOf, DerError, type DerValue, readDer, readIdentifier, readInside } from "./der-reader.ts";

/** A certificate request (PKCS #10, RFC 2986). */
export interface CertificateRequest {
  /** DER of the subject. */
  readonly subject: Uint8Array;
  /** The subject's organizations. */
  readonly organizations: readonly string[];
  /** DER of the public key. */
  readonly publicKeyInfo: Uint8Array;
  /** DER of the subject's other names; `undefined` if it has none. */
  readonly alternativeNames: Uint8Array | undefined;
}

/** A certificate request that is not valid. Its message is that of Go's crypto/x509, as far as it can be known. */
export class CertificateRequestError extends Error {}

const organizationName = "2.5.4.10";
const extensionRequest = "1.2.840.113549.1.9.14";
const subjectAlternativeName = "2.5.29.17";
/** Context-specific tag of the attributes. */
const attributesTag = 0xa0;

/** Parses a PEM block and verifies its signature, which proves that the requester has the key. @throws CertificateRequestError */
export function parseCertificateRequest(pem: string): CertificateRequest {
  try {
    const [request, ...others] = readDer(bytesOf(pem));
    if (others.length > 0) throw new DerError("asn1: syntax error: trailing data");
    const [info, algorithm, signature] = readInside(request, tags.sequence);
    const [, subject, key, ...rest] = readInside(info, tags.sequence);
    if (info === undefined || subject === undefined || key === undefined)
      throw new DerError("asn1: structure error: sequence truncated");
    checkSignature(info.encoded, { key: key.encoded, algorithm, signature });
    return {
      subject: subject.encoded,
      organizations: namesIn(subject, organizationName),
      publicKeyInfo: key.encoded,
      alternativeNames: alternativeNamesIn(rest.find(({ tag }) => tag === attributesTag)),
    };
  } catch (error) {
    if (error instanceof DerError) throw new CertificateRequestError(error.message);
    throw error;
  }
}

function bytesOf(pem: string): Uint8Array {
  const [, type, content] = /-----BEGIN ([^\n-]+)-----\s([^-]*)-----END /.exec(pem) ?? [];
  if (type !== "CERTIFICATE REQUEST" || content === undefined)
    throw new CertificateRequestError("PEM block type must be CERTIFICATE REQUEST");
  return Buffer.from(content, "base64");
}

/** Returns the values of an attribute of a distinguished name. */
function namesIn(name: DerValue, type: string): readonly string[] {
  return readInside(name, tags.sequence)
    .flatMap((part) => readInside(part, tags.set))
    .map((attribute) => readInside(attribute, tags.sequence))
    .filter(([found]) => readIdentifier(contentOf(found, tags.objectIdentifier)) === type)
    .map(([, value]) => Buffer.from(value?.content ?? []).toString("utf8"));
}

/** Returns the names in the extensions that a request asks for. */
function alternativeNamesIn(attributes: DerValue | undefined): Uint8Array | undefined {
  if (attributes === undefined) return undefined;
  const extensions = valuesOf(readDer(attributes.content), extensionRequest)
    .flatMap((value) => readInside(value, tags.set))
    .flatMap((list) => readInside(list, tags.sequence));
  // The value is the last of two or three: a boolean says whether it is critical.
  const found = valuesOf(extensions, subjectAlternativeName).findLast(({ tag }) => tag === tags.octetString);
  return found?.content;
}

/** Returns what follows the identifier in sequences that start with it. */
function valuesOf(sequences: readonly DerValue[], type: string): readonly DerValue[] {
  return sequences.flatMap((sequence) => {
    const [found, ...values] = readInside(sequence, tags.sequence);
    return readIdentifier(contentOf(found, tags.objectIdentifier)) === type ? values : [];
  });
}

/** Signature algorithms by their identifier (RFC 3279, 5758, 8410): digest, and Go's message about a wrong signature. */
const rsaFault = "crypto/rsa: verification error";
const ecdsaFault = "x509: ECDSA verification failure";
const algorithms: Readonly<Record<string, readonly [digest: string | null, fault: string]>> = {
  "1.2.840.113549.1.1.11": ["sha256", rsaFault],
  "1.2.840.113549.1.1.12": ["sha384", rsaFault],
  "1.2.840.113549.1.1.13": ["sha512", rsaFault],
  "1.2.840.10045.4.3.2": ["sha256", ecdsaFault],
  "1.2.840.10045.4.3.3": ["sha384", ecdsaFault],
  "1.2.840.10045.4.3.4": ["sha512", ecdsaFault],
  "1.3.101.112": [null, "x509: Ed25519 verification failure"],
};

interface SignatureParts {
  readonly key: Uint8Array;
  readonly algorithm: DerValue | undefined;
  readonly signature: DerValue | undefined;
}

function checkSignature(signed: Uint8Array, { key, algorithm, signature }: SignatureParts): void {
  const [found] = readInside(algorithm, tags.sequence);
  const known = algorithms[readIdentifier(contentOf(found, tags.objectIdentifier))];
  if (known === undefined) throw new CertificateRequestError("x509: cannot verify signature: algorithm unimplemented");
  const [digest, fault] = known;
  // The first byte of a bit string counts unused bits.
  const bytes = contentOf(signature, tags.bitString).subarray(1);
  if (!verify(digest, signed, publicKey(key), bytes)) throw new CertificateRequestError(fault);
}

function publicKey(der: Uint8Array): KeyObject {
  try {
    return createPublicKey({ key: Buffer.from(der), format: "der", type: "spki" });
  } catch {
    throw new CertificateRequestError("x509: unknown public key algorithm");
  }
}
