/** Authenticated caller, as the cluster's token review describes it. */
export interface Caller {
  readonly name: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Authentication and authorization of callers. */
export interface Access {
  /** Returns the owner of a token. @throws Problem UNAUTHENTICATED, UNAVAILABLE */
  readonly authenticate: (token: string | undefined) => Promise<Caller>;
  /** Returns whether the caller may stage files for a namespace. @throws Problem UNAVAILABLE */
  readonly mayStage: (caller: Caller, namespace: string) => Promise<boolean>;
}

/** Access without checks: any client may stage files for any namespace. Only for networks without other clients. */
export const openAccess: Access = {
  authenticate: async () => ({ name: "anybody", groups: [], extra: {} }),
  mayStage: async () => true,
};
