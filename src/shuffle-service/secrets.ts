import { submitError } from "../errors/submit-error.ts";
import type { Files } from "../host/host.ts";
import type { SecretSource } from "./settings.ts";

/** Returns a lookup of secrets by application. @throws SubmitError `SUBMIT_ERR_SHUFFLE_FILE` */
export function openSecrets(
  files: Pick<Files, "readBytes" | "info">,
  source: SecretSource,
): (appId: string) => string | undefined {
  switch (source.kind) {
    case "text":
      return () => source.secret;
    case "file": {
      const secret = readFile(files, source.file)?.toString("base64");
      if (secret !== undefined && secret !== "") return () => secret;
      const reason = "the file does not exist or is empty";
      throw submitError("SUBMIT_ERR_SHUFFLE_FILE", { key: source.key, path: source.file, reason });
    }
    case "directory":
      return (appId) => secretIn(files, source.directory, appId);
  }
}

/** An application ID that is the name of a file: `..` and slashes lead elsewhere. Kubernetes' own files begin with two dots. */
const fileName = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,252}$/;

function secretIn(files: Pick<Files, "readBytes" | "info">, directory: string, appId: string): string | undefined {
  if (!fileName.test(appId)) return undefined;
  const secret = readFile(files, `${directory}/${appId}`)?.toString("utf8").trim();
  return secret === "" ? undefined : secret;
}

const maxSecretBytes = 64 * 1024;

function readFile(files: Pick<Files, "readBytes" | "info">, path: string): Buffer | undefined {
  const info = files.info(path);
  if (info?.kind !== "file" || info.sizeBytes > maxSecretBytes) return undefined;
  const bytes = files.readBytes(path);
  return bytes === undefined ? undefined : Buffer.from(bytes);
}
