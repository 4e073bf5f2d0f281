import type { GatewayApplication } from "../applications/application.ts";

/** Returns an application in the form of the API, without its settings: they can contain credentials. */
export function applicationJson({ record, state, driver, executors, waiting }: GatewayApplication) {
  const { submission: _, requestDigest: __, end, ...shown } = record;
  return { ...shown, state, end, driver, executors, waiting };
}
