import type { ApplicationEnd, GatewayApplication } from "./application.ts";

/** Receivers of the ends of applications, which get each at least once. */
export interface EndReceivers {
  /** Returns the names of those that must get an end. */
  readonly namesFor: (state: ApplicationEnd["state"]) => readonly string[];
  /**
   * Delivers an end to a receiver.
   *
   * @returns false if the gateway stops before it is delivered: then the next process must deliver it
   */
  readonly deliver: (name: string, application: GatewayApplication) => Promise<boolean>;
}
