import { createHash } from "node:crypto";
import type { S3aProperty } from "./s3a-settings.ts";

/**
 * Returns the headers that S3A sends for new objects: encryption, access control list, storage class.
 *
 * @throws Error for an invalid encryption algorithm, or a missing key
 */
export function s3aHeaders(property: S3aProperty): Readonly<Record<string, string>> {
  return { ...encryption(property), ...access(property), ...storage(property) };
}

function encryption(property: S3aProperty): Record<string, string> {
  const algorithm = property("encryption.algorithm") ?? property("server-side-encryption-algorithm");
  const key = property("encryption.key") ?? property("server-side-encryption.key");
  const own = "x-amz-server-side-encryption";
  switch (algorithm) {
    case undefined:
      return {};
    case "AES256":
    case "SSE-S3":
      return { [own]: "AES256" };
    case "SSE-KMS":
    case "DSSE-KMS": {
      const name = algorithm === "SSE-KMS" ? "aws:kms" : "aws:kms:dsse";
      return { [own]: name, ...(key === undefined ? {} : { [`${own}-aws-kms-key-id`]: key }) };
    }
    case "SSE-C": {
      if (key === undefined)
        throw new Error("fs.s3a.encryption.algorithm is SSE-C, but fs.s3a.encryption.key is not set");
      const digest = createHash("md5").update(Buffer.from(key, "base64")).digest("base64");
      const customer = `${own}-customer`;
      return { [`${customer}-algorithm`]: "AES256", [`${customer}-key`]: key, [`${customer}-key-MD5`]: digest };
    }
    default:
      throw new Error(
        `fs.s3a.encryption.algorithm is ${algorithm}, which is not one of AES256, SSE-KMS, DSSE-KMS or SSE-C`,
      );
  }
}

/** Translates Java's name of an access control list to that of S3, e.g. `bucket-owner-full-control`. */
function access(property: S3aProperty): Record<string, string> {
  const name = property("acl.default");
  if (name === undefined) return {};
  return { "x-amz-acl": name.replace(/(?<=[a-z])[A-Z]/g, "-$&").toLowerCase() };
}

function storage(property: S3aProperty): Record<string, string> {
  const kind = property("create.storage.class");
  return kind === undefined ? {} : { "x-amz-storage-class": kind.toUpperCase() };
}
