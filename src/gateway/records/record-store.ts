import type { ApplicationRecord } from "../model/application.ts";
import type { ScheduleRecord } from "../model/schedules.ts";

/** Durable records of one kind. One process writes them. */
export interface Records<R> {
  /** Returns all records, in no order. @throws SubmitError if they cannot be read */
  readonly list: () => Promise<readonly R[]>;
  /**
   * Stores a new record; resolves when it would survive a crash. After an error, the record is not stored, or the store removes it.
   *
   * @returns false if another record with this key exists
   * @throws SubmitError if it is not stored
   */
  readonly create: (record: R) => Promise<boolean>;
  /** Replaces a record. Later calls for the same key win. @throws SubmitError if it is not stored, for example because there is none */
  readonly update: (record: R) => Promise<void>;
  /** Removes a record. Does nothing if there is none. @throws SubmitError */
  readonly remove: (key: string) => Promise<void>;
}

/** Durable records of applications, which `list` returns in the order of acceptance. */
export interface RecordStore extends Records<ApplicationRecord> {
  /** Reserves IDs: returns the first of `count` consecutive integers, which no call returns again. @throws SubmitError */
  readonly reserveIds: (count: number) => Promise<number>;
}

/** All records of a gateway. */
export interface RecordStores {
  readonly applications: RecordStore;
  readonly schedules: Records<ScheduleRecord>;
  /**
   * Removes the records that neither `list` nor `create` of this process has seen: an earlier process has requested them, and they were stored
   * late. Call it only if no other process runs. Returns their keys. @throws SubmitError
   */
  readonly removeLate: () => Promise<readonly string[]>;
  /** Waits for no write. Records cannot be written afterwards. */
  readonly close: () => Promise<void>;
}
