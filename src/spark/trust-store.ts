import { createHash, X509Certificate } from "node:crypto";
import { rootCertificates } from "node:tls";
import type { Host } from "../host/host.ts";
import { pemCertificates } from "../net/pem-certificates.ts";

const systemBundles = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"];

/**
 * Writes the authorities that this system trusts as a Java key store, which a package's installation would create
 * as root.
 *
 * Shape: JKS with the usual password, `changeit`. If the system has no bundle, uses Node's own list.
 */
export function writeTrustStore(host: Host, path: string): void {
  const bundle = systemBundles.map((name) => host.files.readText(name)).find((text) => text !== undefined);
  const found = pemCertificates(bundle ?? "");
  const texts = found.length === 0 ? rootCertificates : found;
  const certificates = texts.map((text) => new X509Certificate(text).raw);
  // The package has a link here that leads out of the directory.
  host.files.remove(path);
  host.files.write(path, buildKeyStore(certificates, { created: host.clock.now(), password: "changeit" }));
}

/**
 * Builds a Java key store of trusted certificates, in DER.
 *
 * Source: OpenJDK sun.security.provider.JavaKeyStore: big-endian, strings as by DataOutput.writeUTF, a keyed SHA-1 at the end.
 */
export function buildKeyStore(
  certificates: readonly Uint8Array[],
  { created, password }: { created: number; password: string },
): Buffer {
  const trusted = 2;
  const entries = certificates.map((certificate, index) =>
    Buffer.concat([
      int(trusted),
      utf(`authority-${index}`),
      long(created),
      utf("X.509"),
      int(certificate.length),
      certificate,
    ]),
  );
  const content = Buffer.concat([int(0xfeedfeed), int(2), int(certificates.length), ...entries]);
  const key = Buffer.from(password, "utf16le").swap16();
  const digest = createHash("sha1").update(key).update("Mighty Aphrodite").update(content).digest();
  return Buffer.concat([content, digest]);
}

function int(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function long(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

function utf(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
