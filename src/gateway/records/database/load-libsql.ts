import { dirname } from "node:path";
import type Libsql from "libsql";
import { findModule } from "../../../host/find-module.ts";
import type { Host } from "../../../host/host.ts";

/** The optional package with SQLite, as an argument of `npm install`. */
export const databasePackage = "libsql@0.5";

/** An open database. */
export type Database = Libsql.Database;

/** Loads the package, which is installed beside a program. @throws Node's error if it is missing, or not for this machine */
export async function loadLibsql({ files, programPath }: Pick<Host, "files" | "programPath">): Promise<typeof Libsql> {
  const program = files.realPath(programPath) ?? programPath;
  const { default: libsql } = await import(findModule(dirname(program), "libsql").href);
  return libsql;
}
