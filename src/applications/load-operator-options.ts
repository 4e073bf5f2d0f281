import { orThrow } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { type OperatorOptions, readOperatorOptions } from "../spark-application/operator-options.ts";
import { readManifest } from "./read-manifest.ts";

/** Reads the options of an operator. @throws SUBMIT_ERR_MANIFEST_… */
export async function loadOperatorOptions(host: Host, file: string | undefined): Promise<OperatorOptions> {
  if (file === undefined) return {};
  const [options = {}] = await readManifest(host, file);
  return orThrow(readOperatorOptions(file, options));
}
