/** Mutable state that `/readyz` reports. */
export interface ServerHealth {
  isStopping: boolean;
  /** Reasons why owners could not be listed in the cleaner's last run, by namespace. */
  unknownOwners: ReadonlyMap<string, string>;
}
