import type { MasterStrategy } from "../master-strategy.ts";
import { exitOutcome } from "../submit-outcome.ts";
import { operateOnGateway } from "./operate-on-gateway.ts";
import { submitToGateway } from "./submit-to-gateway.ts";

/** Submits to the gateway of a standalone master, or to the dispatcher of Mesos. */
export const restMaster: MasterStrategy = {
  submit: async (submission) => exitOutcome(await submitToGateway(submission)),
  operate: (operation) => operateOnGateway(operation),
};
