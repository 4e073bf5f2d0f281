import type { ApiScope } from "../api/call.ts";
import type { Certificate } from "../certificates/certificate.ts";
import { startAccountTokens } from "./account-tokens.ts";
import { startCertificateSigning } from "./certificate-signing.ts";
import { startClaimProtection, startVolumeProtection } from "./claim-protection.ts";
import { startDefinitions } from "./definitions.ts";
import { startDisruptionBudgets } from "./disruption-budgets.ts";
import { startEventExpiry } from "./event-expiry.ts";
import { startGarbageCollection } from "./garbage-collection.ts";
import { startNamespaceDefaults } from "./namespace-defaults.ts";
import { startNamespaceTermination } from "./namespaces.ts";
import { startEndpoints } from "./network/endpoints.ts";
import { startEndpointsMirroring } from "./network/mirrored-slices.ts";
import { startCordonTaints } from "./nodes/cordon-taints.ts";
import { startPodCollection } from "./nodes/pod-collection.ts";
import { startTaintEviction } from "./nodes/taint-eviction.ts";
import { startQuotas } from "./quotas.ts";
import { startRoleAggregation } from "./role-aggregation.ts";
import { startCronJobs } from "./workloads/cron-jobs/cron-jobs.ts";
import { startDaemonSets } from "./workloads/daemon-sets/daemon-sets.ts";
import { startDeploymentController } from "./workloads/deployments.ts";
import { startJobs } from "./workloads/jobs/jobs.ts";
import { startReplicaSets } from "./workloads/replica-sets.ts";
import { startStatefulSets } from "./workloads/stateful-sets.ts";

/** Starts all controllers. @returns a function that stops them @param authority the authority of the cluster's certificates */
export function startControllers(api: ApiScope, authority: Certificate): () => void {
  const { certificatePem: certificateAuthority } = authority;
  const controllers = [
    startDefinitions,
    startGarbageCollection,
    startNamespaceTermination,
    startNamespaceDefaults(certificateAuthority),
    startAccountTokens(certificateAuthority),
    startCertificateSigning(authority),
    startClaimProtection,
    startVolumeProtection,
    startCordonTaints,
    startPodCollection,
    startTaintEviction,
    startEventExpiry,
    startQuotas,
    startRoleAggregation,
    startEndpoints,
    startEndpointsMirroring,
    startDisruptionBudgets,
    startReplicaSets,
    startDeploymentController,
    startCronJobs,
    startDaemonSets,
    startJobs,
    startStatefulSets,
  ];
  const stops = controllers.map((start) => start(api));
  return () => {
    for (const stop of stops) stop();
  };
}
