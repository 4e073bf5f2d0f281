import type { Host } from "../../host/host.ts";
import type { Store } from "../api/store.ts";
import type { Images } from "../images/image.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { NetworkNames } from "./network-names.ts";
import type { Allocatable } from "./node-object.ts";
import type { PodEvents } from "./pod-events.ts";
import type { IssueToken } from "./pod-tokens.ts";

/** What all pods of the node share. */
export interface NodeContext {
  readonly host: Host;
  readonly store: Store;
  readonly sandbox: Sandbox;
  /** No process runs and no file is read: neither volumes nor hosts files are made. */
  readonly isPlayed: boolean;
  readonly images: Images;
  readonly events: PodEvents;
  readonly names: NetworkNames;
  readonly issueToken: IssueToken;
  /** Whether the API hears of the node, and the node of the API. */
  readonly link: { isCut: boolean };
  /** Where pods reach the API. */
  readonly api: { readonly address: string; readonly port: number };
  /** Folder with a folder for each pod. */
  readonly directory: string;
  /** The same for volumes in memory. */
  readonly memoryDirectory: string;
  /** Folder with a folder for each claim. */
  readonly claims: string;
  readonly hostPathRoots: readonly string[];
  readonly allocatable: Allocatable;
}
