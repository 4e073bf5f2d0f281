/** Election of the one server that cleans a shared store. */
export interface Leader {
  /** Returns whether this server is currently the leader. */
  readonly isLeader: () => boolean;
  /** Stops and releases the leadership, so that another server can take over immediately. */
  readonly stop: () => Promise<void>;
}
