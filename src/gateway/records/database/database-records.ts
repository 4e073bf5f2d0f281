import { submitError } from "../../../errors/submit-error.ts";
import type { ParsedRecord } from "../parse-record.ts";
import type { Records } from "../record-store.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { Database } from "./load-libsql.ts";
import type { OpenedDatabase } from "./open-database.ts";

/** Dependencies of the records in a database. */
export interface DatabaseRecordsCall extends OpenedDatabase {
  readonly commits: GroupCommit;
  /** Reports a record that cannot be read. */
  readonly onUnreadable: (key: string, reason: string) => void;
}

/** Form of one kind of record. */
interface RecordForm<R> {
  readonly table: "applications" | "schedules";
  readonly parse: (text: string) => ParsedRecord<R>;
}

/** Keeps records in a table. */
export function databaseRecords<R extends { readonly key: string }>(
  { database, path, commits, onUnreadable }: DatabaseRecordsCall,
  { table, parse }: RecordForm<R>,
): Records<R> {
  const insertion = database.prepare(`INSERT INTO ${table} (key, record) VALUES (?, ?) ON CONFLICT DO NOTHING`);
  const replacement = database.prepare(`UPDATE ${table} SET record = ? WHERE key = ?`);
  const removal = database.prepare(`DELETE FROM ${table} WHERE key = ?`);
  return {
    async list() {
      return rowsOf(database.prepare(`SELECT key, record FROM ${table}`)).flatMap(([key = "", text = ""]) => {
        const result = parse(text);
        if (result.ok) return [result.record];
        onUnreadable(key, result.reason);
        return [];
      });
    },
    async create(record) {
      const text = JSON.stringify(record);
      return commits.write(() => insertion.run(record.key, text).changes === 1);
    },
    async update(record) {
      const text = JSON.stringify(record);
      const { changes } = await commits.write(() => replacement.run(text, record.key));
      if (changes === 1) return;
      throw submitError("SUBMIT_ERR_GATEWAY_STORE_WRITE", { path, reason: `it has no record ${record.key}` });
    },
    async remove(key) {
      await commits.write(() => removal.run(key));
    },
  };
}

function rowsOf(selection: ReturnType<Database["prepare"]>): readonly (readonly string[])[] {
  const rows = selection.raw().all();
  return rows.map((row) => (Array.isArray(row) ? row.map(String) : []));
}
