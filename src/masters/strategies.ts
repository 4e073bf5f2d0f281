import type { OtherStrategyName } from "../plan/cluster-manager.ts";
import type { MasterStrategy } from "./master-strategy.ts";

const strategies: Readonly<Record<OtherStrategyName, () => Promise<MasterStrategy>>> = {
  jvm: async () => (await import("./jvm/jvm-master.ts")).jvmMaster,
  rest: async () => (await import("./rest/rest-master.ts")).restMaster,
  yarn: async () => (await import("./yarn/yarn-master.ts")).yarnMaster,
};

/** Who submits to masters of this kind; loaded when it is asked for. */
export function strategyOf(place: OtherStrategyName): Promise<MasterStrategy> {
  return strategies[place]();
}
