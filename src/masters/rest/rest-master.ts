import { submitError } from "../../errors/submit-error.ts";
import type { MasterStrategy } from "../master-strategy.ts";
import { refuseMaster } from "../refuse-master.ts";

/** Submits to the gateway of a standalone master, or to the dispatcher of Mesos. */
export const restMaster: MasterStrategy = {
  submit: async (submission) => refuseMaster(submission),
  operate: async ({ master }) => {
    throw submitError("SUBMIT_ERR_MASTER_NOT_SERVED", { master, mode: "cluster" });
  },
};
