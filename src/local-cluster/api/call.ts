import type { StopSignal } from "../../errors/stop-signal.ts";
import type { Clock, Random } from "../../host/host.ts";
import type { ApiRequest } from "../../kube/transport.ts";
import type { Tokens } from "./access/tokens.ts";
import type { User } from "./access/user.ts";
import type { EventRecorder } from "./events.ts";
import type { Kind } from "./kinds/kind.ts";
import type { RuleScope } from "./kinds/rules.ts";
import type { PodLogs } from "./pod-logs.ts";
import type { PodSessions, Session } from "./pod-sessions.ts";
import type { ServedKinds } from "./served-kinds.ts";
import type { Store } from "./store.ts";
import type { WebhookClient } from "./webhook-client.ts";
import type { Representation } from "./wire/accept.ts";
import type { RawBody } from "./wire/body.ts";
import type { BodyResult } from "./wire/respond.ts";

/** The state and services that all requests use. */
export interface ApiScope extends RuleScope {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly kinds: ServedKinds;
  readonly tokens: Tokens;
  /** Records events of controllers. */
  readonly events: EventRecorder;
  /** Access to pods' logs; `undefined` if no node runs. */
  readonly logs: () => PodLogs | undefined;
  /** Access to running pods; `undefined` if no node runs. */
  readonly sessions: () => PodSessions | undefined;
  /** Calls admission webhooks. */
  readonly webhooks: WebhookClient;
  /** Functions that end the open watches. */
  readonly streams: Set<() => void>;
}

/** An authenticated and authorized request for a resource. */
export interface Call {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  /** Name of the object; empty for a collection. */
  readonly name: string;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
  /** A request to forward, and its path after the proxy's path, still encoded. */
  readonly proxied?: { readonly request: ApiRequest; readonly rest: string };
  readonly raw: RawBody;
  readonly user: User;
  readonly userAgent: string;
  readonly representation: Representation;
  readonly signal: StopSignal | undefined;
  /** Texts of `Warning` headers, collected while the request is processed. */
  readonly warnings: string[];
}

/** The result of an action, independent of the format that the client requests. */
export type ActionResult =
  | BodyResult
  | {
      /** The connection is upgraded. */
      readonly type: "session";
      readonly session: Session;
    };

/** Executes a verb. */
export type Action = (api: ApiScope, call: Call) => ActionResult | Promise<ActionResult>;
