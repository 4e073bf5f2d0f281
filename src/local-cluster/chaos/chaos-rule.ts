/** What may go wrong with a request, or with the pull of an image. */
export const faultNames = [
  "401",
  "403",
  "409",
  "410",
  "413",
  "422",
  "429",
  "500",
  "503",
  "504",
  "slow",
  "drop",
  "silence",
  "half-open",
  "nonsense",
  "image-pull",
] as const;

/**
 * A status is answered in Kubernetes' words; 410 on a watch comes as its event ERROR. `slow` answers late; `drop` cuts the
 * connection; `silence` never answers; `half-open` lets a stream tell nothing more, though its connection stays; `nonsense` answers
 * 200 with a page that is no JSON; `image-pull` is of images, not of requests.
 */
export type FaultName = (typeof faultNames)[number];

/** What goes wrong, with which requests, how often and for how long. What is not said does not narrow the choice. */
export interface ChaosRule {
  readonly fault: FaultName;
  /** As access rules name them: get, list, watch, create, update, patch, delete, deletecollection. */
  readonly verbs?: readonly string[];
  /** `pods`, `pods/log`, `statefulsets.apps`; `*` stands for any text, here and in all that follows. */
  readonly resources?: readonly string[];
  /** Of the URL, without its query. */
  readonly path?: string;
  readonly namespace?: string;
  /** Name of the object. */
  readonly object?: string;
  /** E.g. `system:serviceaccount:default:spark`. */
  readonly user?: string;
  readonly userAgent?: string;
  /** Of `image-pull`: the reference, as the pod has it. */
  readonly image?: string;
  /** So many that fit are spared first. @default 0 */
  readonly skip?: number;
  /** So many are struck. @default all */
  readonly times?: number;
  /** Of each to be struck, above 0 and at most 1. @default 1 */
  readonly probability?: number;
  /** The same seed strikes the same ones. @default some */
  readonly seed?: number;
  /** How long the rule holds. @default until it is removed */
  readonly forMs?: number;
  /** Of `slow`: before the answer; of `drop` and `half-open`: so long a stream goes on as if nothing were. */
  readonly delayMs?: number;
  /** Of 429, 500, 503 and 504. @default 1 with 429 */
  readonly retryAfterSeconds?: number;
  /** Instead of Kubernetes' words. */
  readonly message?: string;
  /** The API does what is asked for; only its answer goes wrong. @default false */
  readonly done?: boolean;
  /** Of `drop` and `half-open`: strikes streams that are open already, too. @default false */
  readonly opened?: boolean;
}

/** A rule in force, and what came of it. */
export interface ChaosEntry {
  readonly id: string;
  readonly rule: ChaosRule;
  readonly seed: number;
  /** How many fitted, the spared ones included. */
  readonly seen: number;
  readonly struck: number;
  /** RFC 3339; absent when it holds until it is removed. */
  readonly until?: string;
}
