/** Somebody who calls, as far as we know. */
export interface Caller {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Authentication and authorization of callers. */
export interface Access {
  /** @throws Problem UNAUTHENTICATED, UNAVAILABLE */
  readonly authenticate: (token: string | undefined) => Promise<Caller>;
  /** Whether somebody may stage for a namespace. @throws Problem UNAVAILABLE */
  readonly mayStage: (caller: Caller, namespace: string) => Promise<boolean>;
}

/** Everybody may stage everything: for a network that nobody else reaches. */
export const openAccess: Access = {
  authenticate: async () => ({ name: "anybody", groups: [], extra: {} }),
  mayStage: async () => true,
};
