import type { StrategyName } from "../plan/cluster-manager.ts";
import type { MasterStrategy } from "./master-strategy.ts";

const strategies: Readonly<Record<StrategyName, () => Promise<MasterStrategy>>> = {
  kubernetes: async () => (await import("./kubernetes/kubernetes-master.ts")).kubernetesMaster,
  standalone: async () => (await import("./rest/rest-master.ts")).restMaster,
  mesos: async () => (await import("./rest/rest-master.ts")).restMaster,
  yarn: async () => (await import("./yarn/yarn-master.ts")).yarnMaster,
  jvm: async () => (await import("./jvm/jvm-master.ts")).jvmMaster,
};

/** Loads the strategy of a cluster manager. */
export function loadStrategy(name: StrategyName): Promise<MasterStrategy> {
  return strategies[name]();
}
