import { messageOf, submitError } from "../../errors/submit-error.ts";
import type { Files } from "../../host/host.ts";

/** Source of a certificate or key: inline (base64 of PEM, or PEM itself), or in a file. */
export interface PemSource {
  readonly data?: string | undefined;
  readonly file?: string | undefined;
}

/**
 * Reads a certificate or key. The first source wins, but inline data beats every file.
 *
 * Source: Spark's Kubernetes client library; recorded with Spark 4.3.0.
 *
 * @throws SUBMIT_ERR_KUBE_AUTH_FILE
 */
export function readPem(files: Files, what: string, sources: readonly PemSource[]): string | undefined {
  const data = sources.find((source) => isSpecified(source.data))?.data;
  if (data !== undefined) return data.includes("-----BEGIN") ? data : Buffer.from(data, "base64").toString();
  const file = sources.find((source) => isSpecified(source.file))?.file;
  return file === undefined ? undefined : readCredential(files, what, file);
}

/** Reads a file that credentials name. @throws SUBMIT_ERR_KUBE_AUTH_FILE */
export function readCredential(files: Files, what: string, path: string): string {
  const reject = (reason: string, cause?: unknown) =>
    submitError("SUBMIT_ERR_KUBE_AUTH_FILE", { what, path, reason }, { cause });
  if (files.info(path)?.kind === "directory") throw reject("Is a directory");
  let text: string | undefined;
  try {
    text = files.readText(path);
  } catch (error) {
    throw reject(messageOf(error), error);
  }
  if (text === undefined) throw reject("No such file or directory");
  return text;
}

function isSpecified(text: string | undefined): boolean {
  return text !== undefined && text !== "";
}
