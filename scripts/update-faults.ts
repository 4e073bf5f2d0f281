/**
 * Copies recorded faults to `test/golden/recorded/faults`, without the parts that no diagnosis rule reads.
 *
 * A record is one JSON file: pods, events and executors over time, logs, objects, and the true cause. Writes one file per group, with
 * one line per record.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compactRecord, fieldsOf } from "./fault-records/compact.ts";
import { exitWithUsage, verifyPages, writePages } from "./write-pages.ts";

const usage = `usage: npm run update:faults -- --records DIR
       npm run verify:faults -- --records DIR`;
const target = "test/golden/recorded/faults";

const { values } = parseArgs({ options: { records: { type: "string" }, verify: { type: "boolean" } } });
if (values.records === undefined) exitWithUsage("Name the directory of the records with --records DIR.", usage);
const pages = pagesOf(values.records);
if (values.verify === true) {
  verifyPages(pages, "npm run update:faults");
} else {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  writePages(pages);
}

function pagesOf(directory: string): ReadonlyMap<string, string> {
  const records = readdirSync(directory)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => fieldsOf(JSON.parse(readFileSync(join(directory, name), "utf8"))));
  const groups = [...new Set(records.map(({ group }) => String(group)))].sort();
  return new Map(
    groups.map((group) => {
      const lines = records
        .filter((record) => record["group"] === group)
        .map((record) => JSON.stringify(compactRecord(record)));
      return [join(target, `${group}.json`), `[\n${lines.join(",\n")}\n]\n`];
    }),
  );
}
