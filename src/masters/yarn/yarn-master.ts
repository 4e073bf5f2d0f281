import type { MasterStrategy } from "../master-strategy.ts";
import { refuseMaster } from "../refuse-master.ts";

/** Submits to a ResourceManager of YARN. */
export const yarnMaster: MasterStrategy = {
  submit: async (submission) => refuseMaster(submission),
};
