import { createSecureContext, type TlsOptions } from "node:tls";
import { messageOf, submitError } from "../errors/submit-error.ts";
import type { Files } from "../host/host.ts";
import type { ServiceTlsSettings } from "./settings.ts";

/** Reads key and certificate. @throws SubmitError `SUBMIT_ERR_SHUFFLE_FILE` */
export function readTls(files: Pick<Files, "readBytes" | "info">, settings: ServiceTlsSettings): TlsOptions {
  const { password } = settings;
  const passphrase = password === undefined ? {} : { passphrase: password };
  const path = settings.kind === "pem" ? settings.key : settings.keyStore;
  const read = (file: string) => {
    const bytes = files.info(file)?.kind === "file" ? files.readBytes(file) : undefined;
    if (bytes === undefined) throw new Error(`the file ${file} does not exist`);
    return Buffer.from(bytes);
  };
  try {
    const content =
      settings.kind === "pem"
        ? { key: read(settings.key), cert: read(settings.certificates) }
        : { pfx: read(settings.keyStore) };
    const options: TlsOptions = { minVersion: "TLSv1.2", ...content, ...passphrase };
    // Report an invalid combination now instead of at the first connection.
    createSecureContext(options);
    return options;
  } catch (error) {
    throw submitError(
      "SUBMIT_ERR_SHUFFLE_FILE",
      { key: settings.setting, path, reason: messageOf(error) },
      { cause: error },
    );
  }
}
