import type { ApplicationRecord } from "../model/application.ts";

/** Durable records of applications. One process writes them. */
export interface RecordStore {
  /** Returns all records, in the order of acceptance. @throws SubmitError if they cannot be read */
  readonly list: () => Promise<readonly ApplicationRecord[]>;
  /**
   * Stores a new record; resolves when it would survive a crash. After an error, the record is not stored, or the store removes it.
   *
   * @returns false if a record with this key exists
   * @throws SubmitError if it is not stored
   */
  readonly create: (record: ApplicationRecord) => Promise<boolean>;
  /** Replaces a record. Later calls for the same key win. @throws SubmitError if it is not stored */
  readonly update: (record: ApplicationRecord) => Promise<void>;
  /** Removes a record. Does nothing if there is none. @throws SubmitError */
  readonly remove: (key: string) => Promise<void>;
  /**
   * Removes the records that neither `list` nor `create` of this process has seen: an earlier process has requested them, and they were stored
   * late. Call it only if no other process runs. Returns their keys. @throws SubmitError
   */
  readonly removeLate: () => Promise<readonly string[]>;
  /** Reserves IDs: returns the first of `count` consecutive integers, which no call returns again. @throws SubmitError */
  readonly reserveIds: (count: number) => Promise<number>;
  readonly close: () => Promise<void>;
}
