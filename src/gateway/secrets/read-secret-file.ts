import { messageOf } from "../../errors/message-of.ts";
import { submitError } from "../../errors/submit-error.ts";
import type { Files } from "../../host/host.ts";

/** Reads a file that an option names, without white space at its ends. @throws SubmitError SUBMIT_ERR_GATEWAY_FILE */
export function readSecretFile(files: Pick<Files, "readText">, option: string, path: string): string {
  const text = readText(files, option, path)?.trim();
  if (text === undefined) throw submitError("SUBMIT_ERR_GATEWAY_FILE", { option, path, reason: "it does not exist" });
  if (text === "") throw submitError("SUBMIT_ERR_GATEWAY_FILE", { option, path, reason: "it is empty" });
  return text;
}

function readText(files: Pick<Files, "readText">, option: string, path: string): string | undefined {
  try {
    return files.readText(path);
  } catch (error) {
    throw submitError("SUBMIT_ERR_GATEWAY_FILE", { option, path, reason: messageOf(error) }, { cause: error });
  }
}
