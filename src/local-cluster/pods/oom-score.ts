import type { Container, PodSpec } from "../../kube/types.ts";
import { parseQuantity, quantityUnits } from "../../values/quantity.ts";
import { qosClass } from "../api/kinds/qos-class.ts";

/**
 * Computes by how much the kernel prefers a container's processes when it kills for lack of memory: 1000 is first, 0 is as this
 * machine's other programs.
 *
 * A guaranteed pod has 0, not the kubelet's -997: that requires root, and would let the kernel kill the cluster first. Source:
 * Kubernetes 1.35, pkg/kubelet/qos/policy.go.
 *
 * @param memoryBytes of this machine
 */
export function oomScoreAdjustment(spec: PodSpec, { resources }: Container, memoryBytes: number): number {
  switch (qosClass(spec)) {
    case "Guaranteed":
      return 0;
    case "BestEffort":
      return 1000;
    case "Burstable": {
      const requested = parseQuantity(resources?.requests?.["memory"] ?? resources?.limits?.["memory"] ?? "0");
      const share = requested === undefined ? 0 : quantityUnits(requested) / memoryBytes;
      return Math.min(999, Math.max(3, 1000 - Math.floor(1000 * share)));
    }
  }
}
