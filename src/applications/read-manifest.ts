import { messageOf, submitError } from "../errors/submit-error.ts";
import { absolutePath } from "../host/absolute-path.ts";
import type { Host } from "../host/host.ts";
import { nearestFile } from "../resolve/nearest-file.ts";
import { parseDocuments } from "../spark-application/read/parse-documents.ts";

/** Reads the documents of a file of applications. @throws SUBMIT_ERR_MANIFEST_UNREADABLE */
export async function readManifest(host: Host, file: string): Promise<readonly unknown[]> {
  const text = readFile(host, file);
  try {
    return await parseDocuments(text);
  } catch (error) {
    throw submitError("SUBMIT_ERR_MANIFEST_UNREADABLE", { file, reason: messageOf(error) });
  }
}

/**
 * Reads the document of a file with only one.
 *
 * @param allowed description of the document, with its article
 * @throws SUBMIT_ERR_MANIFEST_UNREADABLE, SUBMIT_ERR_MANIFEST_KIND
 */
export async function readSingleDocument(host: Host, file: string, allowed: string): Promise<unknown> {
  const documents = await readManifest(host, file);
  if (documents.length === 1) return documents[0];
  const found = documents.length === 0 ? "nothing" : `${documents.length} documents`;
  throw submitError("SUBMIT_ERR_MANIFEST_KIND", { file, found, allowed });
}

function readFile(host: Host, file: string): string {
  const { files } = host;
  const path = absolutePath(host, file);
  const unreadable = (reason: string) =>
    submitError("SUBMIT_ERR_MANIFEST_UNREADABLE", { file, reason, nearest: nearestFile(host, file) });
  if (files.info(path)?.kind === "directory") throw unreadable("it is a directory");
  let text: string | undefined;
  try {
    text = files.readText(path);
  } catch (error) {
    throw unreadable(messageOf(error));
  }
  if (text === undefined) throw unreadable("there is no such file");
  return text;
}
