import type { PlaceElsewhere } from "../plan/cluster-manager.ts";
import type { MasterStrategy } from "./master-strategy.ts";

const strategies: Readonly<Record<PlaceElsewhere, () => Promise<MasterStrategy>>> = {
  jvm: async () => (await import("./jvm/jvm-master.ts")).jvmMaster,
  rest: async () => (await import("./rest/rest-master.ts")).restMaster,
  yarn: async () => (await import("./yarn/yarn-master.ts")).yarnMaster,
};

/** Who submits to masters of this kind; loaded when it is asked for. */
export function strategyOf(place: PlaceElsewhere): Promise<MasterStrategy> {
  return strategies[place]();
}
