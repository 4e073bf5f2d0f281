import { CertificateRequestError, parseCertificateRequest } from "../../certificates/certificate-request.ts";
import { isObject, isSame, type JsonObject } from "../json.ts";
import { signingRequests } from "../kinds/certificates/signing-request.ts";
import type { Kind } from "../kinds/kind.ts";
import { forbidden } from "../status.ts";
import type { Store } from "../store.ts";
import { authorize, type RequestAttributes } from "./authorize.ts";
import { mastersGroup, type User } from "./user.ts";

/** Signer of certificates that clients of the API authenticate with. */
export const clientSigner = "kubernetes.io/kube-apiserver-client";

/** A write to a CertificateSigningRequest. */
interface Attempt {
  readonly store: Store;
  readonly user: User;
  readonly kind: Kind;
  readonly name: string;
  readonly subresource: string | undefined;
}

/**
 * Rejects approving and signing a request without permission for its signer.
 *
 * Source: Kubernetes 1.35, admission plugins CertificateApproval and CertificateSigning.
 *
 * @throws StatusError 403
 */
export function checkSigner(attempt: Attempt, next: JsonObject, old: JsonObject): void {
  const { kind, name, subresource } = attempt;
  if (kind.collection !== signingRequests) return;
  const signer = signerOf(old);
  const quoted = JSON.stringify(signer);
  if (subresource === "approval" && !isAllowed(attempt, "approve", signer))
    throw forbidden(kind, name, `user not permitted to approve requests with signerName ${quoted}`);
  if (subresource !== "status" || isSame(next["status"], old["status"])) return;
  if (!isAllowed(attempt, "sign", signer))
    throw forbidden(kind, name, `user not permitted to sign requests with signerName ${quoted}`);
}

function isAllowed({ store, user }: Attempt, verb: string, signer: string): boolean {
  const [domain] = signer.split("/");
  return [signer, `${domain}/*`].some((name) => {
    const resource: RequestAttributes = {
      ...{ verb, group: "certificates.k8s.io", resource: "signers", subresource: undefined },
      ...{ namespace: undefined, name },
    };
    return authorize(store, user, resource).isAllowed;
  });
}

/**
 * Rejects a request for a client certificate of the group that has all permissions.
 *
 * Source: Kubernetes 1.35, admission plugin CertificateSubjectRestriction.
 *
 * @throws StatusError 403
 */
export function checkSubject(kind: Kind, name: string, request: JsonObject): void {
  if (kind.collection !== signingRequests || signerOf(request) !== clientSigner) return;
  if (organizationsIn(request).includes(mastersGroup))
    throw forbidden(kind, name, `use of ${clientSigner} signer with ${mastersGroup} group is not allowed`);
}

function organizationsIn({ spec }: JsonObject): readonly string[] {
  const request = isObject(spec) ? spec["request"] : undefined;
  try {
    return parseCertificateRequest(Buffer.from(String(request), "base64").toString("latin1")).organizations;
  } catch (error) {
    // Validation rejects it.
    if (error instanceof CertificateRequestError) return [];
    throw error;
  }
}

function signerOf({ spec }: JsonObject): string {
  const name = isObject(spec) ? spec["signerName"] : undefined;
  return typeof name === "string" ? name : "";
}
