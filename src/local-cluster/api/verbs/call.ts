import type { StopSignal } from "../../../errors/stop-signal.ts";
import type { Clock, Random } from "../../../host/host.ts";
import type { ApiRequest, ApiResponse } from "../../../kube/transport.ts";
import type { EventRecorder } from "../../events/event-recorder.ts";
import type { Tokens } from "../access/tokens.ts";
import type { User } from "../access/user.ts";
import type { JsonObject } from "../json.ts";
import type { Kind } from "../kinds/kind.ts";
import type { RuleScope } from "../kinds/rules.ts";
import type { PodLogs } from "../pod-logs.ts";
import type { PodSessions, Session } from "../pod-sessions.ts";
import type { Store } from "../store.ts";
import type { Representation } from "../wire/accept.ts";
import type { RawBody } from "../wire/body.ts";

/** What every request can reach. */
export interface ApiScope extends RuleScope {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly tokens: Tokens;
  /** Tells what controllers do. */
  readonly events: EventRecorder;
  /** Who has the logs of pods; `undefined` where no node runs. */
  readonly logs: () => PodLogs | undefined;
  /** Who gets clients into pods; `undefined` where no node runs. */
  readonly sessions: () => PodSessions | undefined;
  /** How to end each watch that is open. */
  readonly streams: Set<() => void>;
}

/** One authenticated, authorised request for a resource. */
export interface Call {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  /** Empty for a collection. */
  readonly name: string;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
  /** A request that is to be passed on, and its path behind the proxy's, as it was sent. */
  readonly proxied?: { readonly request: ApiRequest; readonly rest: string };
  readonly raw: RawBody;
  readonly user: User;
  readonly userAgent: string;
  readonly representation: Representation;
  readonly signal: StopSignal | undefined;
  /** Texts for `Warning` headers, added on the way. */
  readonly warnings: string[];
}

/** What a verb answers, before it is written as the client wants it. */
export type Answer =
  | TextualAnswer
  | {
      /** The connection is to be used for something else from now on. */
      readonly type: "session";
      readonly session: Session;
    };

/** What is written as a body. */
export type TextualAnswer =
  | { readonly type: "object"; readonly status: number; readonly object: JsonObject }
  | {
      readonly type: "list";
      readonly items: readonly JsonObject[];
      /** Of the list: resourceVersion, continue, remainingItemCount. */
      readonly metadata: JsonObject;
    }
  | {
      readonly type: "stream";
      readonly contentType: string;
      readonly chunks: AsyncIterable<Uint8Array>;
    }
  | {
      /** Somebody else's answer. */
      readonly type: "response";
      readonly response: ApiResponse;
    }
  | {
      readonly type: "text";
      readonly status: number;
      readonly text: string;
    };

/** What a verb does with a request. */
export type Action = (api: ApiScope, call: Call) => Answer | Promise<Answer>;
