import { stagingDirectory } from "../conf/entries/localizing.ts";

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const copies = String.raw`(?:file:\/*)?\/[^\s'",;:()]{0,400}?(?:spark-upload-${uuid}|spark-${uuid}\/userFiles-${uuid}|spark-${uuid}|userFiles-${uuid})\/`;

/**
 * Replaces paths of copies that the submission or Spark made, such as `/opt/spark-deps/pyfiles/report.py`, by the names of the user's files.
 * Other paths stay.
 */
export function withoutStagedDirectories(text: string, properties: Readonly<Record<string, string>> = {}): string {
  const directory = properties[stagingDirectory.key] ?? stagingDirectory.defaultText;
  const staged = String.raw`(?:file:\/*)?${escaped(directory)}\/(?:jars|files|pyfiles|archives)\/`;
  return text.replace(new RegExp(`${copies}|${staged}`, "g"), "");
}

function escaped(path: string): string {
  return path.replace(/\/$/, "").replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
}
