import type { Issue } from "../../../errors/issue.ts";
import { isFinalPhase } from "../../../kube/pod-phase.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { roleLabel } from "../../../plan/labels.ts";
import { hasUploads } from "../../../plan/uploads-annotation.ts";
import {
  removeUploads,
  removeUploadsAnnotation,
  type UploadsRemoval,
  uploadsOf,
} from "../stage/uploads/remove-uploads.ts";

interface UploadSweep extends UploadsRemoval {
  readonly client: KubeClient;
  /** Whether to report uploads without removing them. */
  readonly dryRun: boolean;
}

/** Upload directories of a driver. */
export interface SweptUploads {
  readonly driver: string;
  readonly directories: readonly string[];
}

/**
 * Removes the uploads of drivers that ended without a waiting command.
 *
 * @returns the removed uploads, and issues for those that could not be removed
 */
export async function sweepUploads(
  { host, client, owner, dryRun }: UploadSweep,
  namespace: string,
): Promise<{ readonly uploads: readonly SweptUploads[]; readonly issues: readonly Issue[] }> {
  const labelSelector = `${roleLabel}=driver`;
  const { items } = await client.list<Pod>({ type: resourceTypes.pod, namespace, labelSelector });
  const ended = items.filter((pod) => hasUploads(pod) && isFinalPhase(pod.status?.phase));
  const uploads: SweptUploads[] = [];
  const issues: Issue[] = [];
  for (const pod of ended) {
    const left = dryRun ? [] : await removeUploads({ host, owner }, pod);
    issues.push(...left);
    if (left.length > 0) continue;
    if (!dryRun) await removeUploadsAnnotation(client, pod);
    uploads.push({ driver: pod.metadata?.name ?? "", directories: uploadsOf(pod) });
  }
  return { uploads, issues };
}
