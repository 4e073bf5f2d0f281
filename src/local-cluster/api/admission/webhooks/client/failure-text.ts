import { messageOf } from "../../../../../errors/message-of.ts";
import { certificateProblem, handshakeFailure } from "../../../../../net/tls-failure.ts";
import { goQuoted } from "../../../../../values/go-quoted.ts";
import { isObject } from "../../../json.ts";
import { parseJson } from "../../../wire/parse-json.ts";

const certificateTexts = {
  name: "certificate is not valid for the requested name",
  time: "certificate has expired or is not yet valid",
  weak: "certificate has a key that is too weak",
  authority: "certificate signed by unknown authority",
} as const;

/** Describes why no response was received, with Kubernetes' texts. */
export function callFailure(error: unknown, { hostname }: Pick<URL, "hostname">): string {
  const problem = certificateProblem(error);
  if (problem !== undefined) return `tls: failed to verify certificate: x509: ${certificateTexts[problem]}`;
  const handshake = handshakeFailure(error);
  if (handshake?.kind === "noTls") return "http: server gave HTTP response to HTTPS client";
  if (handshake !== undefined) return `remote error: tls: ${handshake.reason}`;
  if (!(error instanceof Error)) return messageOf(error);
  const { code, address, port } = networkError(error);
  if (code === "ECONNREFUSED") return `dial tcp ${address}:${port}: connect: connection refused`;
  if (code === "ENOTFOUND") return `dial tcp: lookup ${hostname}: no such host`;
  return code === "ECONNRESET" ? "EOF" : error.message;
}

function networkError(error: object): { readonly code: string; readonly address: string; readonly port: string } {
  const text = (value: unknown) => (value === undefined ? "" : String(value));
  return {
    code: "code" in error ? text(error.code) : "",
    address: "address" in error ? text(error.address) : "",
    port: "port" in error ? text(error.port) : "",
  };
}

interface Response {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly text: string;
}

/** Maximum length of a response that a message quotes. */
const maxQuotedLength = 2048;

/** Texts of client-go for responses without a Status. */
const statusTexts: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  409: "the server reported a conflict",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};

/** Describes why a response is not a review; `undefined` if it may be one. Redirects are not followed. */
export function responseFailure({ status, contentType, text }: Response): string | undefined {
  if (status >= 200 && status <= 206) {
    if (text !== "") return undefined;
    return `0-length response with status code: ${status} and content type: ${contentType ?? ""}`;
  }
  const isText = contentType === undefined || /^text\//i.test(contentType);
  const quoted = isText ? text.slice(0, maxQuotedLength).trim() : "unknown";
  const known = statusMessage(text) ?? statusTexts[status];
  if (known !== undefined) return known;
  if (status === 403 || status === 415) return quoted;
  if (status >= 500) return `an error on the server (${goQuoted(quoted)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${status} but did not return more information`;
}

/** Returns the message of a Status; `undefined` for other responses. */
function statusMessage(text: string): string | undefined {
  const parsed = text.startsWith("{") ? parseJson(text) : { fault: "" };
  if (!("value" in parsed) || !isObject(parsed.value)) return undefined;
  const { kind, message } = parsed.value;
  return kind === "Status" && typeof message === "string" && message !== "" ? message : undefined;
}
