import type { Behaviors } from "../conf/behaviors.ts";
import type { ConfEntry } from "../conf/entry.ts";
import type { Host, TextSink } from "../host/host.ts";
import type { Log } from "../host/log.ts";
import type { Pod } from "../kube/types.ts";
import type { KubeClient } from "../kube-client/client.ts";
import type { ConnectOptions } from "../kube-client/connect-options.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import type { SubmitRequest } from "../plan/submit-request.ts";
import type { OpenEmbedded } from "../resolve/destination.ts";
import type { ResolvedOperation } from "../resolve/resolve-operation.ts";
import type { ResolvedSubmission } from "../resolve/resolve-submission.ts";
import type { DriverManifests } from "../spec/driver-spec.ts";
import type { NamedStep, UserStep } from "../spec/user-steps/user-step.ts";
import type { SubmitOutcome } from "./submit-outcome.ts";

/** Dependencies of the strategies. */
export interface SubmitContext {
  /** Opens the cluster of the master `k8s://embedded`. @default there is none */
  readonly openEmbedded?: OpenEmbedded | undefined;
  /** Connects to a Kubernetes API. @default over the network */
  readonly openClient?: OpenClient | undefined;
  /** Feature steps of the caller, which run after all others. @default none */
  readonly extraSteps?: readonly UserStep[] | undefined;
  /** Name of the cluster in the IDs of a submission with a token. @default the address of its API, which can change */
  readonly cluster?: string | undefined;
  /**
   * Names of the objects that attempts with the same token create, but those with copies of local files. `shared`: a late request of an
   * earlier attempt creates no further object. The content differs in its comments, so the client must not apply it to an existing object.
   *
   * @default "separate"
   */
  readonly attemptNames?: "separate" | "shared" | undefined;
  /** Settings of waiting that the caller applies itself after a submission that does not wait. @default none */
  readonly waitEntries?: readonly ConfEntry<unknown>[] | undefined;
  /** Called with the driver pod at the start of the wait for it. @default nothing */
  readonly onWait?: ((wait: DriverWait) => void) | undefined;
}

/** The wait of a submission for its driver. */
export interface DriverWait {
  readonly client: KubeClient;
  readonly driver: Pod;
  /** Output that leaves the status line of a terminal intact. */
  readonly stdout: TextSink;
  /** Log that leaves it intact, too. */
  readonly log: Log;
  /** Ends the wait: the driver keeps running, and its outcome is `unknown`. */
  readonly leave: () => void;
}

/** Opens a client of a Kubernetes API. @throws SUBMIT_ERR_KUBE_…, if credentials or certificates are invalid */
export type OpenClient = (host: Host, options: ConnectOptions) => Promise<KubeClient>;

/** Operations of one cluster manager: a row of the table of strategies. */
export interface MasterStrategy {
  /**
   * Submits an application and, if the settings say so, waits for it. The output of Spark's front end is not printed
   * yet, and `issues` of the submission are not thrown yet.
   *
   * @throws SubmitError if Firesteel or the master rejects the submission
   */
  readonly submit: (submission: ResolvedSubmission, context: SubmitContext) => Promise<SubmitOutcome>;
  /**
   * Performs a `--kill` or `--status`. @default Spark has no such operation for this cluster manager
   *
   * @throws SubmitError
   */
  readonly operate?: (operation: ResolvedOperation, context: SubmitContext) => Promise<OperationOutcome>;
  /**
   * Decides everything about a submission without contacting an API, for `render`, `explain` and `diff`.
   *
   * @default there are no objects to render
   * @throws SubmitError as `submit`
   */
  readonly render?: (submission: ResolvedSubmission, options: RenderOptions) => Promise<RenderedSubmission>;
}

/** Result of a `--kill` or `--status`. */
export interface OperationOutcome {
  /** Whether a driver matched. */
  readonly isFound: boolean;
  readonly behaviors: Behaviors;
}

/** Options of rendering. */
export interface RenderOptions extends Pick<SubmitContext, "openEmbedded" | "extraSteps"> {
  /** Text from which IDs are derived. @default random IDs */
  readonly seed?: string | undefined;
}

/** A completely decided submission, from which its objects and those of its first executor can be built. */
export interface RenderedSubmission {
  readonly request: SubmitRequest;
  readonly driver: DriverConf;
  readonly built: DriverManifests;
  readonly executor: ExecutorSources;
  /** Steps of the user, in the order in which they run. */
  readonly userSteps: readonly NamedStep[];
}

/** Inputs of an executor besides its driver: the template and the unique IDs of its names. */
export interface ExecutorSources {
  /** Parsed template, not yet checked. */
  readonly template: unknown;
  /** As in `SubmissionIds`. */
  readonly uniqueIds: { readonly resourceNamePrefix: string; readonly confMap: string };
}
