import type { MasterStrategy } from "../master-strategy.ts";
import { exitOutcome } from "../submit-outcome.ts";
import { operateOnGateway } from "./operate-on-gateway.ts";
import { submitToGateway } from "./submit-to-gateway.ts";

/** Submits to the gateway of a standalone master or the Mesos dispatcher. */
export const restMaster: MasterStrategy = {
  submit: async (submission) => exitOutcome(await submitToGateway(submission)),
  operate: (operation) => operateOnGateway(operation),
};
