import type { Host } from "../../../host/host.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import type { ArchiveLocation } from "../../../values/archive-location.ts";
import type { UploadOwner } from "../stage/uploads/upload-targets.ts";

/** Target of a bundle, and the means to reach it. */
export interface BundleTarget {
  readonly host: Host;
  readonly client: KubeClient;
  readonly location: ArchiveLocation;
  /** Name of the file. */
  readonly name: string;
  /** Settings with the credentials of stores. */
  readonly owner: UploadOwner;
  readonly driver: Pod;
  readonly signal?: AbortSignal | undefined;
}
