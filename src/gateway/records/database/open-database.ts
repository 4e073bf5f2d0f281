import { join } from "node:path";
import { isSubmitError, type SubmitError, submitError } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import { isDamaged, isInUse, reasonOf } from "./database-error.ts";
import { type Database, databasePackage, loadLibsql } from "./load-libsql.ts";

/** Place of the database of a gateway. */
export interface DatabaseCall {
  readonly host: Pick<Host, "files" | "programPath">;
  /** Directory, which is created with its parents. */
  readonly directory: string;
  readonly owner: DatabaseOwner;
}

/** The gateway to which a database belongs. */
export interface DatabaseOwner {
  /** Namespace and name: `NAMESPACE/NAME`. */
  readonly gateway: string;
  /** UID of the namespace, which other clusters do not have; `undefined` if it is not known. */
  readonly namespaceUid: string | undefined;
}

/** An open database, and its file. */
export interface OpenedDatabase {
  readonly database: Database;
  readonly path: string;
}

/** Identifies files of this format: "Fire". */
const applicationId = 0x46697265;
const schemaVersion = 1;
const schema = `
CREATE TABLE applications (key TEXT NOT NULL PRIMARY KEY, record TEXT NOT NULL);
CREATE TABLE schedules (key TEXT NOT NULL PRIMARY KEY, record TEXT NOT NULL);
CREATE TABLE gateway (name TEXT NOT NULL, namespace_uid TEXT NOT NULL, next_id INTEGER NOT NULL);
PRAGMA application_id = ${applicationId};
PRAGMA user_version = ${schemaVersion};
`;

const useOther = "name another directory with --store";

/**
 * Opens the database of a gateway for this process alone, and creates it if there is none. Each commit is on disk when it returns.
 *
 * @throws SubmitError `SUBMIT_ERR_GATEWAY_STORE` if another process uses it, or if it is damaged, newer, or that of another gateway; then it
 * is unchanged
 */
export async function openDatabase(call: DatabaseCall): Promise<OpenedDatabase> {
  const path = join(call.directory, "gateway.db");
  const libsql = await loadLibsql(call.host).catch((error: unknown) => {
    const reason = `the package libsql cannot be loaded: ${reasonOf(error).split("\n")[0]}`;
    const instruction = `Install it beside Firesteel: npm install ${databasePackage}. Or keep the records as Secrets, without --store.`;
    throw submitError("SUBMIT_ERR_GATEWAY_STORE", { path, reason, instruction }, { cause: error });
  });
  try {
    await createFile(call, path);
    const database = new libsql(path);
    try {
      prepare(database, path, call.owner);
      return { database, path };
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    throw isSubmitError(error) ? error : startError(path, error);
  }
}

/** Closes a database, whose directory then has one file, and lets other processes use it. */
export function closeDatabase(database: Database): void {
  try {
    database.pragma("journal_mode = DELETE");
    database.pragma("locking_mode = NORMAL");
    // The lock ends with the next access.
    database.pragma("user_version");
  } catch {
    // What is committed is read from the log at the next start.
  }
  database.close();
}

/** SQLite gives the permissions of the database to its other files. */
async function createFile({ host: { files }, directory }: DatabaseCall, path: string): Promise<void> {
  if ((files.info(path)?.sizeBytes ?? 0) > 0) return;
  // SQLite would delete the log of a database that is missing.
  if ((files.info(`${path}-wal`)?.sizeBytes ?? 0) > 0)
    throw damagedError(path, "it is missing or empty beside its log");
  files.makeDirectory(directory, { mode: 0o700 });
  (await files.openAppend(path)).close();
}

function prepare(database: Database, path: string, owner: DatabaseOwner): void {
  // Before the first access, so that this process keeps the lock. The system frees it when the process ends.
  database.pragma("locking_mode = EXCLUSIVE");
  database.exec("BEGIN EXCLUSIVE");
  if (isEmpty(database)) {
    database.exec(schema);
    database.prepare("INSERT INTO gateway VALUES (?, '', 0)").run(owner.gateway);
  } else check(database, path, owner);
  const { namespaceUid } = owner;
  // Writes nothing if it is known already, so that a gateway with a full disk can start.
  if (namespaceUid !== undefined)
    database.prepare("UPDATE gateway SET namespace_uid = ? WHERE namespace_uid = ''").run(namespaceUid);
  database.exec("COMMIT");
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  // Settings of removed applications can contain credentials.
  database.pragma("secure_delete = ON");
}

function isEmpty(database: Database): boolean {
  const numbers = ["SELECT count(*) FROM sqlite_schema", "PRAGMA application_id", "PRAGMA user_version"];
  return numbers.every((sql) => numberOf(database, sql) === 0);
}

/** Checks an existing database without a change. @throws SubmitError */
function check(database: Database, path: string, { gateway, namespaceUid }: DatabaseOwner): void {
  const version = numberOf(database, "PRAGMA user_version");
  if (numberOf(database, "PRAGMA application_id") !== applicationId) throw foreignError(path);
  if (version !== schemaVersion) throw versionError(path, version);
  const problem = textOf(database, "PRAGMA quick_check(1)");
  if (problem !== "ok") throw damagedError(path, problem.replaceAll(/\s+/g, " "));
  const owner = textOf(database, "SELECT name FROM gateway");
  if (owner !== gateway) throw ownerError(path, owner, gateway);
  const earlierUid = textOf(database, "SELECT namespace_uid FROM gateway");
  if (earlierUid !== "" && namespaceUid !== undefined && earlierUid !== namespaceUid) throw clusterError(path, gateway);
}

function numberOf(database: Database, sql: string): number {
  return Number(textOf(database, sql));
}

function textOf(database: Database, sql: string): string {
  return String(database.prepare(sql).pluck().all()[0]);
}

function startError(path: string, error: unknown): SubmitError {
  if (isDamaged(error)) return damagedError(path, reasonOf(error));
  const [reason, instruction] = isInUse(error)
    ? ["another process uses it", `Stop the other gateway, or ${useOther}.`]
    : [reasonOf(error), "Check that the gateway can write in the directory, and that its disk has free space."];
  return submitError("SUBMIT_ERR_GATEWAY_STORE", { path, reason, instruction }, { cause: error });
}

function damagedError(path: string, problem: string): SubmitError {
  const reason = `it is damaged: ${problem}`;
  const instruction = `Restore all files of its directory from a backup, or ${useOther} to start without its applications.`;
  return submitError("SUBMIT_ERR_GATEWAY_STORE", { path, reason, instruction });
}

function foreignError(path: string): SubmitError {
  const instruction = `Move the file away, or ${useOther}.`;
  return submitError("SUBMIT_ERR_GATEWAY_STORE", { path, reason: "it is not that of a gateway", instruction });
}

function versionError(path: string, version: number): SubmitError {
  const reason = `its format is version ${version}, and this release knows version ${schemaVersion}`;
  const instruction = `Use the release of Firesteel that has written it, or ${useOther}.`;
  return submitError("SUBMIT_ERR_GATEWAY_STORE", { path, reason, instruction });
}

function ownerError(path: string, owner: string, gateway: string): SubmitError {
  const reason = `it belongs to the gateway ${owner} (namespace and name), and this one is ${gateway}`;
  const instruction = `Set -n and --name of the earlier gateway, or ${useOther}.`;
  return submitError("SUBMIT_ERR_GATEWAY_STORE", { path, reason, instruction });
}

function clusterError(path: string, gateway: string): SubmitError {
  const [namespace = ""] = gateway.split("/");
  const reason = `its applications are in another cluster, or in an earlier namespace ${namespace} that was deleted`;
  const instruction = `Use the cluster of its applications, or ${useOther}.`;
  return submitError("SUBMIT_ERR_GATEWAY_STORE", { path, reason, instruction });
}
