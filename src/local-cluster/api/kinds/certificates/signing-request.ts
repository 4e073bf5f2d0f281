import type {
  CertificateSigningRequestCondition,
  CertificateSigningRequestSpec,
  CertificateSigningRequestStatus,
} from "kubernetes-types/certificates/v1.d.ts";
import { isSame } from "../../json.ts";
import type { Draft } from "../../object.ts";
import { timestamp } from "../../timestamp.ts";
import { pathSegment } from "../../validation/names.ts";
import { signingRequestErrors, signingRequestUpdateErrors } from "../../validation/signing-request.ts";
import type { Author, RuleScope, Rules } from "../rules.ts";

/** A CertificateSigningRequest. */
export type SigningRequestObject = Draft & {
  spec: CertificateSigningRequestSpec;
  status: CertificateSigningRequestStatus;
};

/** Collection of CertificateSigningRequests. */
export const signingRequests = "certificatesigningrequests.certificates.k8s.io";

/** The rules of CertificateSigningRequests: only its subresources change a request. */
export const signingRequestRules: Rules<SigningRequestObject> = {
  name: pathSegment,
  hasStatus: true,
  resetFields: {
    "": [["spec"]],
    status: [["status", "conditions"]],
    approval: [["status", "certificate"]],
  },
  prepare(request, _, author) {
    const { username: _username, uid: _uid, groups: _groups, extra: _extra, ...spec } = request.spec;
    request.spec = { ...spec, ...authorFields(author) };
    request.status = {};
  },
  prepareUpdate(request, old) {
    request.spec = old.spec;
  },
  prepareStatus(request, old, scope) {
    const kept = withDecisions(request.status.conditions, old.status.conditions);
    setConditions(request.status, withTimes(kept, old.status.conditions, scope));
  },
  validate: (request) => signingRequestErrors(request, undefined),
  validateUpdate: (request, old) => signingRequestUpdateErrors(request, old, "object"),
  validateStatus: (request, old) => signingRequestUpdateErrors(request, old, "status"),
  parts: {
    approval: {
      writes: "status",
      write(sent, old, scope) {
        const status = { ...old.status };
        setConditions(status, withTimes(sent.status.conditions, old.status.conditions, scope));
        return { ...old, status };
      },
      validate: (request, old) => signingRequestUpdateErrors(request, old, "approval"),
    },
  },
  selectable: { "spec.signerName": ({ spec }) => spec.signerName ?? "" },
  unknownField: (field) => `field label not supported: ${field}`,
};

function authorFields({ name, uid, groups, extra }: Author) {
  const copied = Object.entries(extra).map(([key, values]) => [key, [...values]]);
  return {
    ...{ username: name, groups: [...groups] },
    ...(uid === undefined ? {} : { uid }),
    ...(copied.length === 0 ? {} : { extra: Object.fromEntries(copied) }),
  };
}

type Conditions = readonly CertificateSigningRequestCondition[] | undefined;

function setConditions(status: CertificateSigningRequestStatus, conditions: Conditions): void {
  if (conditions === undefined) delete status.conditions;
  else status.conditions = [...conditions];
}

/** Keeps the conditions that only approvers change, if as many were sent. */
function withDecisions(sent: Conditions, old: Conditions): Conditions {
  return ["Approved", "Denied"].reduce((conditions, type) => {
    const known = (old ?? []).filter((condition) => condition.type === type);
    const count = (conditions ?? []).filter((condition) => condition.type === type).length;
    if (known.length !== count) return conditions;
    const rest = [...known];
    return conditions?.map((condition) => (condition.type === type ? (rest.shift() ?? condition) : condition));
  }, sent);
}

/** Sets the times of conditions that lack them. */
function withTimes(sent: Conditions, old: Conditions, { clock }: RuleScope): Conditions {
  const now = timestamp(clock.now());
  return sent?.map((condition) => {
    const { type, status, lastUpdateTime, lastTransitionTime } = condition;
    const known = old?.find((other) => isSame([other.type, other.status], [type, status]));
    return {
      ...condition,
      lastUpdateTime: lastUpdateTime ?? now,
      lastTransitionTime: lastTransitionTime ?? known?.lastTransitionTime ?? now,
    };
  });
}
