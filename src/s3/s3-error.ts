import { parseS3Xml, textOf } from "./xml.ts";

/** Error response of S3. */
export class S3Error extends Error {
  readonly status: number;
  /** S3's error code, e.g. `NoSuchBucket`. Empty when the response has none. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = "S3Error";
    this.status = status;
    this.code = code;
  }
}

/** Builds the error from a response's XML. @param about the request, without secrets */
export function s3Error(status: number, text: string, about: string): S3Error {
  const xml = parseS3Xml(text);
  const code = textOf(xml, "Code") ?? "";
  const message = textOf(xml, "Message") ?? "";
  const details = [code, message].filter((detail) => detail !== "").join(": ");
  return new S3Error(status, code, `S3 responded with ${status}${details === "" ? "" : ` ${details}`} (${about})`);
}

/** Statuses that a retry does not change: not implemented, and out of storage. minio-go does not retry them either. */
const permanentStatuses: readonly number[] = [501, 507];

/** Returns whether the same request may succeed later. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof S3Error) || permanentStatuses.includes(error.status)) return false;
  return error.status >= 500 || [408, 429].includes(error.status) || error.code === "RequestTimeout";
}
