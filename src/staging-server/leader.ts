/** Election of the one server that cleans a shared store. */
export interface Leader {
  /** Whether it is this one, as far as is known now. */
  readonly isUs: () => boolean;
  /** Lets another one take over at once. */
  readonly stop: () => Promise<void>;
}
