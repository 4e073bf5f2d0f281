/** Faults that a rule can inject into a request or an image pull. */
export const faultNames = [
  ...(["401", "403", "409", "410", "413", "422", "429", "500", "503", "504"] as const),
  ...(["slow", "drop", "silence", "half-open", "nonsense", "image-pull"] as const),
] as const;

/**
 * Name of a fault. A status code returns Kubernetes' message for it; 410 on a watch arrives as an ERROR event. `slow` delays the
 * response. `drop` closes the connection. `silence` never responds. `half-open` keeps a stream's connection open without sending
 * more data. `nonsense` returns 200 with a page that is not JSON. `image-pull` applies to images, not to requests.
 */
export type FaultName = (typeof faultNames)[number];

/** A fault, the requests that it applies to, its frequency and duration. An absent field matches every request. */
export interface ChaosRule {
  readonly fault: FaultName;
  /** Verbs as in RBAC rules: get, list, watch, create, update, patch, delete, deletecollection. */
  readonly verbs?: readonly string[];
  /** `pods`, `pods/log`, `statefulsets.apps`; `*` matches any text, here and in the fields below. */
  readonly resources?: readonly string[];
  /** Path of the URL, without the query. */
  readonly path?: string;
  readonly namespace?: string;
  /** Name of the object. */
  readonly object?: string;
  /** E.g. `system:serviceaccount:default:spark`. */
  readonly user?: string;
  readonly userAgent?: string;
  /** For `image-pull`: the image reference as written in the pod. */
  readonly image?: string;
  /** Number of matching requests to pass through first. @default 0 */
  readonly skip?: number;
  /** Maximum number of requests to fail. @default all */
  readonly times?: number;
  /** Probability of the fault for each match, above 0 and at most 1. @default 1 */
  readonly probability?: number;
  /** Seed of the random choice; the same seed selects the same requests. @default random */
  readonly seed?: number;
  /** Duration of the rule. @default until it is removed */
  readonly forMs?: number;
  /** For `slow`: delay of the response. For `drop` and `half-open`: time that a stream works before the fault. */
  readonly delayMs?: number;
  /** For 429, 500, 503 and 504. @default 1 with 429 */
  readonly retryAfterSeconds?: number;
  /** Message that replaces Kubernetes' own. */
  readonly message?: string;
  /** Whether the API executes the request and only the response fails. @default false */
  readonly done?: boolean;
  /** For `drop` and `half-open`: whether the rule also applies to streams that are already open. @default false */
  readonly opened?: boolean;
}

/** An active rule and its counters. */
export interface ChaosEntry {
  readonly id: string;
  readonly rule: ChaosRule;
  readonly seed: number;
  /** Number of matches, including skipped ones. */
  readonly seen: number;
  /** Number of injected faults. */
  readonly injected: number;
  /** RFC 3339; absent when the rule has no duration. */
  readonly until?: string;
}
