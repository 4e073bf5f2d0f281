import { submitError } from "../../../errors/submit-error.ts";
import type { Clock } from "../../../host/host.ts";
import { reasonOf } from "./database-error.ts";

/** Writes to a database, of which those that arrive together are committed together: a disk takes as long for many as for one. */
export interface GroupCommit {
  /**
   * Calls a function in the next transaction; resolves with its result when it is on disk.
   *
   * @throws SubmitError `SUBMIT_ERR_GATEWAY_STORE_WRITE`; then the whole transaction is rolled back
   */
  readonly write: <T>(apply: () => T) => Promise<T>;
  /** Commits what waits. Later writes fail. */
  readonly close: () => void;
}

/** Part of a database that commits groups. */
interface Transactions {
  readonly inTransaction: boolean;
  readonly exec: (sql: string) => unknown;
}

interface GroupCommitCall {
  readonly database: Transactions;
  readonly path: string;
  readonly clock: Pick<Clock, "after">;
}

interface PendingWrite {
  readonly apply: () => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const rewriteDelayMs = 1000;

/** Commits writes in groups, in the order of the calls. */
export function groupCommit({ database, path, clock }: GroupCommitCall): GroupCommit {
  let pending: PendingWrite[] = [];
  let isClosed = false;
  let cancelRewrite: (() => void) | undefined;

  function commit(): void {
    const writes = pending;
    pending = [];
    if (writes.length === 0) return;
    try {
      if (database.inTransaction) database.exec("ROLLBACK");
      database.exec("BEGIN IMMEDIATE");
      for (const { apply } of writes) apply();
      database.exec("COMMIT");
    } catch (error) {
      rollBack(database);
      if (!isClosed) rewriteLater();
      const failure = submitError(
        "SUBMIT_ERR_GATEWAY_STORE_WRITE",
        { path, reason: reasonOf(error) },
        { cause: error },
      );
      for (const { reject } of writes) reject(failure);
      return;
    }
    for (const { resolve } of writes) resolve();
  }

  /** If only the sync of a commit failed, its log has the commit, which the next process would find. Another write replaces it there. */
  function rewriteLater(): void {
    cancelRewrite ??= clock.after(rewriteDelayMs, () => {
      cancelRewrite = undefined;
      write(() => database.exec("UPDATE gateway SET next_id = next_id")).catch(() => {});
    });
  }

  function write<T>(apply: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (isClosed) return reject(submitError("SUBMIT_ERR_GATEWAY_STORE_WRITE", { path, reason: "it is closed" }));
      let result: { readonly value: T } | undefined;
      // Requests that arrive together are stored together.
      if (pending.length === 0) setImmediate(commit);
      pending.push({
        apply: () => {
          result = { value: apply() };
        },
        resolve: () => result !== undefined && resolve(result.value),
        reject,
      });
    });
  }

  return {
    write,
    close() {
      isClosed = true;
      cancelRewrite?.();
      commit();
    },
  };
}

/** With a full disk, SQLite has rolled back already. */
function rollBack(database: Transactions): void {
  try {
    if (database.inTransaction) database.exec("ROLLBACK");
  } catch {
    // The next transaction tries it again.
  }
}
