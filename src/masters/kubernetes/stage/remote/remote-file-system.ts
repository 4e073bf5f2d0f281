/** File system that the init container can read with URLs. */
export interface RemoteFileSystem {
  /**
   * Returns the URLs of a file, each of another server of which one is active.
   *
   * @param uri as in the settings, without a fragment
   * @throws Error with the reason why it cannot be fetched
   */
  readonly urlsOf: (uri: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** Invalidates URLs that grant access, if the driver is not created. @default nothing */
  readonly withdraw?: () => Promise<void>;
  readonly close: () => void;
}
