import { X509Certificate } from "node:crypto";
import type {
  CertificateSigningRequestCondition,
  CertificateSigningRequestSpec,
  CertificateSigningRequestStatus,
} from "kubernetes-types/certificates/v1.d.ts";
import { goQuoted } from "../../../values/go-quoted.ts";
import { CertificateRequestError, parseCertificateRequest } from "../../certificates/certificate-request.ts";
import { isSame } from "../json.ts";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from "./field-error.ts";
import { dnsLabel, type NameRule, subdomain } from "./names.ts";

interface SigningRequest {
  readonly spec: CertificateSigningRequestSpec;
  readonly status: CertificateSigningRequestStatus;
}

/** Key usages that a request may name. Source: Kubernetes 1.35, certificates/v1 KeyUsage. */
const usages = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];

const minExpirationSeconds = 600;
const legacySigner = "kubernetes.io/legacy-unknown";

/** Returns the errors of a request. Problems that the stored request has are accepted. */
export function signingRequestErrors({ spec, status }: SigningRequest, old: SigningRequest | undefined): FieldError[] {
  const { usages: own = [], signerName = "", expirationSeconds } = spec;
  return [
    ...requestErrors(spec),
    ...(own.length === 0 ? [required("spec.usages")] : []),
    ...own.flatMap((usage, index) =>
      usages.includes(usage) ? [] : [notSupported(`spec.usages[${index}]`, usage, usages)],
    ),
    ...own.flatMap((usage, index) => (own.indexOf(usage) < index ? [duplicate(`spec.usages[${index}]`, usage)] : [])),
    ...signerNameErrors(signerName),
    ...(expirationSeconds !== undefined && expirationSeconds < minExpirationSeconds
      ? [
          invalidValue(
            "spec.expirationSeconds",
            expirationSeconds,
            "may not specify a duration less than 600 seconds (10 minutes)",
          ),
        ]
      : []),
    ...conditionErrors(status.conditions ?? []),
    ...certificateErrors(status.certificate, old?.status.certificate),
  ];
}

function requestErrors({ request }: CertificateSigningRequestSpec): FieldError[] {
  try {
    parseCertificateRequest(Buffer.from(request ?? "", "base64").toString("latin1"));
    return [];
  } catch (error) {
    if (error instanceof CertificateRequestError) return [invalidValue("spec.request", request, error.message)];
    throw error;
  }
}

const maxDomainLength = 253;
/** The path may consist of a subdomain and a label. */
const maxSignerNameLength = maxDomainLength + 1 + 253 + 1 + 63;

function signerNameErrors(name: string): FieldError[] {
  const field = "spec.signerName";
  if (name === legacySigner)
    return [invalidValue(field, name, "the legacy signerName is not allowed via this API version")];
  if (name === "") return [required(field)];
  const [domain = "", path = "", ...rest] = name.split("/");
  if (!name.includes("/") || rest.length > 0)
    return [
      invalidValue(field, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'"),
    ];
  return [
    ...(domain.length > maxDomainLength ? [tooLong(field, maxDomainLength)] : []),
    ...labelErrors(domain, field, dnsLabel),
    ...(domain.includes(".")
      ? []
      : [invalidValue(field, domain, "should be a domain with at least two segments separated by dots")]),
    ...labelErrors(path, field, subdomain),
    ...(name.length > maxSignerNameLength ? [tooLong(field, maxSignerNameLength)] : []),
  ];
}

/** Returns the errors of the first invalid label of a part. */
function labelErrors(part: string, field: string, rule: NameRule): FieldError[] {
  const label = part.split(".").find((candidate) => rule(candidate).length > 0);
  if (label === undefined) return [];
  return rule(label).map((fault) => invalidValue(field, part, `validating label ${goQuoted(label)}: ${fault}`));
}

const path = "status.conditions";
const statuses = ["False", "True", "Unknown"];
/** Conditions that are set once. */
const final = ["Approved", "Denied", "Failed"];
/** Conditions that only approvers set. */
const decisions = ["Approved", "Denied"];

function conditionErrors(conditions: readonly CertificateSigningRequestCondition[]): FieldError[] {
  return conditions.flatMap(({ type = "", status = "" }, index) => {
    const field = `${path}[${index}]`;
    const before = conditions.slice(0, index).map((other) => other.type);
    const allowed = final.includes(type) ? ["True"] : statuses;
    const opposite = decisions.find((decision) => decision !== type);
    return [
      ...(type === "" ? [required(`${field}.type`)] : []),
      ...(status === ""
        ? [required(`${field}.status`)]
        : allowed.includes(status)
          ? []
          : [notSupported(`${field}.status`, status, allowed)]),
      ...(decisions.includes(type) && opposite !== undefined && before.includes(opposite)
        ? [invalidValue(path, type, "Approved and Denied conditions are mutually exclusive")]
        : []),
      ...(before.includes(type) ? [duplicate(`${field}.type`, type)] : []),
    ];
  });
}

function certificateErrors(certificate = "", old = ""): FieldError[] {
  const fault = certificate === "" || certificate === old ? undefined : certificateFault(certificate);
  return fault === undefined ? [] : [invalidValue("status.certificate", "<certificate data>", fault)];
}

const block = /-----BEGIN ([^\n-]+)-----\s[^-]*-----END [^\n-]+-----/g;

function certificateFault(base64: string): string | undefined {
  const blocks = [...Buffer.from(base64, "base64").toString("latin1").matchAll(block)];
  if (blocks.length === 0) return "must contain at least one CERTIFICATE PEM block";
  for (const [pem, type = ""] of blocks) {
    if (type !== "CERTIFICATE") return `only CERTIFICATE PEM blocks are allowed, found ${goQuoted(type)}`;
    if (pem.includes(":")) return "no PEM block headers are permitted";
    if (!isCertificate(pem)) return "x509: malformed certificate";
  }
  return undefined;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).serialNumber !== "";
  } catch {
    return false;
  }
}

/** Returns the errors of a change by the object's own path or a subresource. */
export function signingRequestUpdateErrors(
  next: SigningRequest,
  old: SigningRequest,
  written: "object" | "status" | "approval",
): FieldError[] {
  const of = ({ status: { conditions = [] } }: SigningRequest, type: string) =>
    conditions.filter((condition) => condition.type === type);
  const [certificate = "", before = ""] = [next.status.certificate, old.status.certificate];
  return [
    ...signingRequestErrors(next, old),
    ...final
      .filter((type) => of(next, type).length < of(old, type).length)
      .map((type) => forbiddenField(path, `updates may not remove a condition of type ${goQuoted(type)}`)),
    ...(written === "approval" ? [] : decisions).flatMap((type) => decisionErrors(type, of(next, type), of(old, type))),
    ...(certificate === before
      ? []
      : written !== "status"
        ? [forbiddenField("status.certificate", "updates may not set certificate content")]
        : before === ""
          ? []
          : [forbiddenField("status.certificate", "updates may not modify existing certificate content")]),
  ];
}

function decisionErrors(type: string, next: readonly object[], old: readonly object[]): FieldError[] {
  if (next.length < old.length || isSame(next, old)) return [];
  const change = next.length > old.length ? "add" : "modify";
  return [forbiddenField(path, `updates may not ${change} a condition of type ${goQuoted(type)}`)];
}
