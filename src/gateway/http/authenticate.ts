import type { IncomingMessage } from "node:http";
import type { Permissions } from "../model/permissions.ts";
import type { Principal, Rejection } from "./gateway-request.ts";

/** Result of an authentication. */
export type Authenticated =
  | { readonly kind: "accepted"; readonly principal: Principal }
  | { readonly kind: "rejected"; readonly rejection: Rejection };

/** Authenticates a request to a path without prefix. */
export type Authenticate = (request: IncomingMessage, path: string) => Promise<Authenticated>;

/** Returns what the user of a request may do. Throws if this cannot be decided now. */
export type Authorize = (principal: Principal) => Promise<Permissions>;

/** Result for a request that needs no user. */
export const anonymous: Authenticated = { kind: "accepted", principal: { user: undefined, groups: [] } };

/** Accepts all requests. */
export const withoutAuthentication: Authenticate = async () => anonymous;
