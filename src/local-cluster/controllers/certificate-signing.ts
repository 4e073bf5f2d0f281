import { X509Certificate } from "node:crypto";
import { clientSigner } from "../api/access/signers.ts";
import type { ApiScope } from "../api/call.ts";
import { type SigningRequestObject, signingRequests } from "../api/kinds/certificates/signing-request.ts";
import type { StoredObject } from "../api/store.ts";
import { timestamp } from "../api/timestamp.ts";
import { type Certificate, type ClientUsage, signClientCertificate } from "../certificates/certificate.ts";
import { parseCertificateRequest } from "../certificates/certificate-request.ts";
import { type Controller, startReconciler } from "./controller.ts";

/** Signs the approved requests for client certificates of the API. Source: Kubernetes 1.35, pkg/controller/certificates/signer. */
export const startCertificateSigning =
  (authority: Certificate): Controller =>
  (api) =>
    startReconciler(api, {
      observe({ type, collection, object }, add) {
        if (collection === signingRequests && type !== "DELETED") add(object.metadata.name);
      },
      work(name) {
        const request = api.store.get(signingRequests, undefined, name);
        if (request === undefined || !isSigningRequest(request) || !isPending(request)) return;
        const fault = usageFault(request.spec.usages ?? []);
        const change =
          fault === undefined ? { certificate: sign(api, authority, request) } : failure(api, request, fault);
        api.store.update(signingRequests, undefined, name, (current) =>
          current === request ? { ...current, status: { ...request.status, ...change } } : current,
        );
      },
    });

type StoredRequest = StoredObject & SigningRequestObject;

function isSigningRequest(object: StoredObject): object is StoredRequest {
  return object.kind === "CertificateSigningRequest";
}

/** Whether a request is approved and has neither a certificate nor failed. */
function isPending({ spec, status: { conditions = [], certificate = "" } }: StoredRequest): boolean {
  const has = (type: string) => conditions.some((condition) => condition.type === type);
  const isApproved = has("Approved") && !has("Denied") && !has("Failed");
  return spec.signerName === clientSigner && isApproved && certificate === "";
}

const optionalUsages: readonly string[] = ["digital signature", "key encipherment"] satisfies ClientUsage[];
const requiredUsage = "client auth";

function usageFault(usages: readonly string[]): string | undefined {
  const invalid = usages.find((usage) => usage !== requiredUsage && !optionalUsages.includes(usage));
  if (invalid !== undefined) return `invalid usage for client certificate: ${invalid}`;
  return usages.includes(requiredUsage) ? undefined : `missing required usage for client certificate: ${requiredUsage}`;
}

function failure({ clock }: ApiScope, { status: { conditions = [] } }: StoredRequest, message: string) {
  const now = timestamp(clock.now());
  const failed = { type: "Failed", status: "True", reason: "SignerValidationFailure", message };
  return { conditions: [...conditions, { ...failed, lastUpdateTime: now, lastTransitionTime: now }] };
}

const secondMs = 1000;
const maxLifetimeSeconds = 365 * 24 * 3600;
const backdateMs = 5 * 60 * secondMs;
/** Certificates with a shorter lifetime are valid for all of it from now on. */
const shortLifetimeMs = 8 * 3600 * secondMs;

function sign({ clock, random }: ApiScope, authority: Certificate, { spec }: StoredRequest): string {
  const { request, usages = [], expirationSeconds = maxLifetimeSeconds } = spec;
  const lifetimeMs = Math.min(expirationSeconds, maxLifetimeSeconds) * secondMs;
  const now = clock.now();
  const end = now + lifetimeMs - (lifetimeMs < shortLifetimeMs ? 0 : backdateMs);
  const pem = signClientCertificate(
    { random },
    {
      ...{ authority, request: parseCertificateRequest(Buffer.from(request, "base64").toString("latin1")) },
      usages: usages.filter(isOptional),
      notBefore: now - backdateMs,
      notAfter: Math.min(end, Date.parse(new X509Certificate(authority.certificatePem).validTo)),
    },
  );
  return Buffer.from(pem).toString("base64");
}

function isOptional(usage: string): usage is ClientUsage {
  return optionalUsages.includes(usage);
}
