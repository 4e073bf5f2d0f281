import type { IncomingMessage } from "node:http";
import type { Principal, Rejection } from "./gateway-request.ts";

/** Result of an authentication. */
export type Authenticated =
  | { readonly kind: "accepted"; readonly principal: Principal }
  | { readonly kind: "rejected"; readonly rejection: Rejection };

/** Authenticates a request to a path without prefix. */
export type Authenticate = (request: IncomingMessage, path: string) => Promise<Authenticated>;

/** Accepts all requests. */
export const withoutAuthentication: Authenticate = async () => ({
  kind: "accepted",
  principal: { user: undefined, groups: [] },
});
