import type { Host } from "../../host/host.ts";
import type { Store } from "../api/store.ts";
import type { Images } from "../images/image.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { NetworkNames } from "./network-names.ts";
import type { Allocatable } from "./node-object.ts";
import type { PodEvents } from "./pod-events.ts";
import type { IssueToken } from "./pod-tokens.ts";

/** Context shared by all pods of the node. */
export interface NodeContext {
  readonly host: Host;
  readonly store: Store;
  readonly sandbox: Sandbox;
  /** With the fake sandbox, no process runs and no file is read, so neither volumes nor hosts files are created. */
  readonly isFake: boolean;
  readonly images: Images;
  readonly events: PodEvents;
  readonly names: NetworkNames;
  readonly issueToken: IssueToken;
  /** Connection between the node and the API; chaos can cut it. */
  readonly link: { isDisconnected: boolean };
  /** Address at which pods reach the API. */
  readonly api: { readonly address: string; readonly port: number };
  /** Directory with a subdirectory per pod. */
  readonly directory: string;
  /** The same for memory-backed volumes. */
  readonly memoryDirectory: string;
  /** Directory with a subdirectory per claim. */
  readonly claims: string;
  readonly hostPathRoots: readonly string[];
  readonly allocatable: Allocatable;
}
