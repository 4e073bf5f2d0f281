export { driverSteps } from "./driver-steps.ts";
export { executorSteps } from "./executor-steps.ts";
