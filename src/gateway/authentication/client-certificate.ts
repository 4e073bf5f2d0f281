import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import type { Authenticate } from "../http/authenticate.ts";
import type { Principal, Rejection } from "../http/gateway-request.ts";

const certificateRequired: Rejection = {
  status: 401,
  message: "This server requires a certificate of the client that one of its authorities has signed.",
};
const nameMissing: Rejection = {
  status: 401,
  message: "The subject of the client's certificate must have one common name (CN): it is the user.",
};

/**
 * Authenticates with the certificate of the connection: the common name of its subject is the user, its organizations are the
 * groups, as in Kubernetes. Requests without a certificate have the other authentication; without another one, they are rejected.
 */
export function certificateAuthentication(other: Authenticate | undefined): Authenticate {
  return async (request, path) => {
    const subject = subjectOf(request);
    if (subject === undefined) {
      if (other !== undefined) return other(request, path);
      return { kind: "rejected", rejection: certificateRequired };
    }
    const principal = principalOf(subject);
    return principal === undefined ? { kind: "rejected", rejection: nameMissing } : { kind: "accepted", principal };
  };
}

/** Fields of a subject. A field that it has several times is a list. */
interface Subject {
  readonly CN?: string | readonly string[] | undefined;
  readonly O?: string | readonly string[] | undefined;
}

/** Returns the user and the groups of a subject; `undefined` without a single common name. */
export function principalOf({ CN: user, O: organizations = [] }: Subject): Principal | undefined {
  if (typeof user !== "string" || user === "") return undefined;
  return { user, groups: typeof organizations === "string" ? [organizations] : organizations };
}

/** Returns the subject of a verified certificate. */
function subjectOf({ socket }: IncomingMessage): Subject | undefined {
  return socket instanceof TLSSocket && socket.authorized ? socket.getPeerCertificate().subject : undefined;
}
