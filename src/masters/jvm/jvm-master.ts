import type { MasterStrategy } from "../master-strategy.ts";
import { refuseMaster } from "../refuse-master.ts";

/** Submits to a Spark of this machine, for drivers that run here. */
export const jvmMaster: MasterStrategy = {
  submit: async (submission) => refuseMaster(submission),
};
