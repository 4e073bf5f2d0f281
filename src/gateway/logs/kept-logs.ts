import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { messageOf } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { limitLog, type ServerLog } from "../../http/server-log.ts";
import { limiter } from "../../net/limiter.ts";
import { withResponseTimeout } from "../../net/with-response-timeout.ts";
import type { LogFileId, LogStore } from "./log-store.ts";
import { type SpooledLog, spoolLog } from "./spool-log.ts";

/** An attempt of an application, as far as its log is concerned. */
export interface LogOwner {
  readonly key: string;
  readonly attempt: number;
}

/** Uses of a store, each of which can fail. */
export const logOperations = ["keep", "read", "remove"] as const;

/** Use of a store. */
export type LogOperation = (typeof logOperations)[number];

/** Numbers for metrics, since the start. */
export interface KeptLogCounts {
  readonly kept: number;
  readonly failures: ReadonlyMap<LogOperation, number>;
}

/** Complete logs of drivers in a store. A store that fails is logged and counted, and ends nothing else. */
export interface KeptLogs {
  /** Copies a log to this machine, compressed. */
  readonly spool: (owner: LogOwner, log: AsyncIterable<Uint8Array>) => Promise<SpooledLog>;
  /** Stores a spooled log. @returns the reason why it is not stored; `undefined` if it is */
  readonly store: (owner: LogOwner, spooled: SpooledLog) => Promise<string | undefined>;
  /** Removes a spooled log that is not stored. */
  readonly discard: (owner: LogOwner) => void;
  /** Calls `push` with the bytes of a log until it returns false. @returns whether the log was read */
  readonly read: (owner: LogOwner, push: (bytes: Uint8Array) => boolean) => Promise<boolean>;
  /** Removes all logs of an application. */
  readonly remove: (key: string) => Promise<void>;
  readonly counts: () => KeptLogCounts;
  readonly close: () => Promise<void>;
}

interface KeptLogsCall {
  readonly host: Pick<Host, "clock" | "files">;
  readonly store: LogStore;
  readonly log: ServerLog;
  /** Directory of the gateway in the store, for several gateways with one store. */
  readonly directory: string;
}

/** Lines that the record of an application keeps. */
export const tailLines = 100;
/** Transfers at the same time. */
const maxTransfers = 8;
/** Time for one transfer: a server that does not respond must not block others for ever. */
const transferMs = 10 * 60_000;
const closeMs = 5000;

/** Opens the logs of a store. */
export function keptLogs({ host, store, log, directory }: KeptLogsCall): KeptLogs {
  const { files, clock } = host;
  const drafts = `${store.draftDirectory}/${directory}`;
  const [limit, removals] = [limiter(maxTransfers), limiter(1)];
  const limited = limitLog(log, clock);
  const failures = new Map<LogOperation, number>();
  const running = new Set<Promise<unknown>>();
  let [kept, isPrepared] = [0, false];
  const failed = (operation: LogOperation, key: string, error: unknown): string => {
    failures.set(operation, (failures.get(operation) ?? 0) + 1);
    limited("WARN", `Cannot ${operation} the log of a driver.`, { key, reason: messageOf(error) });
    return messageOf(error);
  };
  const track = async <T>(work: Promise<T>): Promise<T> => {
    running.add(work);
    return work.finally(() => running.delete(work));
  };
  const draft = ({ key, attempt }: LogOwner) => `${drafts}/${key}-${attempt}.log.gz`;
  const fileOf = ({ key, attempt }: LogOwner): LogFileId => {
    return { directory: `${directory}/${key}`, name: `driver-${attempt}.log.gz` };
  };
  const removeQuietly = (path: string) => {
    try {
      files.remove(path);
    } catch (error) {
      limited("WARN", "A temporary file cannot be removed.", { path, reason: messageOf(error) });
    }
  };
  const prepareDirectory = () => {
    if (isPrepared) return;
    // Drafts of a gateway that was killed are incomplete.
    files.remove(drafts);
    files.makeDirectory(drafts, { mode: 0o700 });
    isPrepared = true;
  };
  const put = (owner: LogOwner) =>
    withResponseTimeout(clock, transferMs, (signal) => store.put(fileOf(owner), draft(owner), signal));
  return {
    async spool(owner, source) {
      try {
        prepareDirectory();
      } catch (writeError) {
        return { ...(await spoolLog(source, { lastLines: tailLines })), writeError };
      }
      return spoolLog(source, { lastLines: tailLines, file: { files, path: draft(owner) } });
    },
    store: (owner, { writeError }) =>
      track(
        limit(async () => {
          try {
            if (writeError !== undefined) throw writeError;
            await put(owner);
            kept += 1;
            return undefined;
          } catch (error) {
            if (writeError === undefined) removeQuietly(draft(owner));
            return failed("keep", owner.key, error);
          }
        }),
      ),
    discard: (owner) => removeQuietly(draft(owner)),
    async read(owner, push) {
      try {
        const file = await store.open(fileOf(owner));
        if (file === undefined) throw new Error("the file does not exist");
        try {
          const unpacked = createGunzip();
          // The loop throws the error.
          pipeline(file.body, unpacked, () => {});
          for await (const bytes of unpacked) if (!push(bytes)) break;
        } finally {
          file.close();
        }
        return true;
      } catch (error) {
        failed("read", owner.key, error);
        return false;
      }
    },
    remove: (key) =>
      track(
        removals(async () => {
          await store.remove(`${directory}/${key}`).catch((error: unknown) => void failed("remove", key, error));
        }),
      ),
    counts: () => ({ kept, failures }),
    async close() {
      const done = new AbortController();
      const all = Promise.allSettled(running).finally(() => done.abort());
      await Promise.race([all, clock.sleep(closeMs, { signal: done.signal, background: true })]);
      store.close();
      if (isPrepared) removeQuietly(drafts);
    },
  };
}
