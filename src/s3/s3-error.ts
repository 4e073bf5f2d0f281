import { xmlText } from "./xml.ts";

/** S3 has refused something. */
export class S3Error extends Error {
  readonly status: number;
  /** S3's own word, e.g. `NoSuchBucket`; empty where it said none. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = "S3Error";
    this.status = status;
    this.code = code;
  }
}

/** What an answer says in XML. @param about what was asked, without secrets */
export function s3Error(status: number, xml: string, about: string): S3Error {
  const code = xmlText(xml, "Code") ?? "";
  const message = xmlText(xml, "Message") ?? "";
  const said = [code, message].filter((text) => text !== "").join(": ");
  return new S3Error(status, code, `S3 answered ${status}${said === "" ? "" : ` ${said}`} (${about})`);
}

/** Whether the same may succeed a little later. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof S3Error)) return false;
  if (error.status === 501) return false;
  return error.status >= 500 || [408, 429].includes(error.status) || error.code === "RequestTimeout";
}
