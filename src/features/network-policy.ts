import type { NetworkPolicy } from "../kube/types.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import { appSelectorLabel, roleLabel } from "../plan/labels.ts";
import type { FeatureStep } from "./step.ts";

/** NetworkPolicy by which only pods of the application can connect to its executors. */
export const networkPolicy: FeatureStep<DriverConf> = {
  name: "NetworkPolicyFeatureStep",
  contribute: ({ traits, appId, namespace, resourceNamePrefix }) => {
    if (!traits.networkPolicy) return {};
    const application = { [appSelectorLabel]: appId };
    const policy = {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: `${resourceNamePrefix}-policy`, namespace, labels: application },
      spec: {
        podSelector: { matchLabels: { ...application, [roleLabel]: "executor" } },
        ingress: [{ from: [{ podSelector: { matchLabels: application } }] }],
      },
    } satisfies NetworkPolicy;
    return { resources: [policy] };
  },
};
