import { appliedApplication } from "../../applications/applied-application.ts";
import { loadOperatorOptions } from "../../applications/load-operator-options.ts";
import { readSingleDocument } from "../../applications/read-manifest.ts";
import { orThrow, submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { isApplication, readApplication } from "../../spark-application/read/read-application.ts";
import type { ReservedKeys } from "../../spark-application/reserved-keys.ts";
import { apiInPods, noObjectsText } from "../applications/dry-files.ts";
import { printWarnings } from "../applications/print-warnings.ts";
import { dryApplication } from "../dry/dry-application.ts";
import type { DrySubmission } from "../dry/dry-submission.ts";

/** Options of rendering the file of an application. */
interface RenderedFile {
  readonly file: string;
  readonly operatorOptions: string | undefined;
  readonly reservedKeys: ReservedKeys;
  /** @default the address of the API in pods */
  readonly master: string | undefined;
  readonly seed: string | undefined;
}

/**
 * Plans the submission of a SparkApplication. Returns `undefined` if it is suspended or in client mode.
 *
 * @throws SUBMIT_ERR_MANIFEST_…, and what a submission throws
 */
export async function renderApplicationFile(
  host: Host,
  { file, operatorOptions, reservedKeys, master = apiInPods, seed }: RenderedFile,
): Promise<DrySubmission | undefined> {
  const options = await loadOperatorOptions(host, operatorOptions);
  const allowed = "one SparkApplication";
  const application = orThrow(readApplication(file, await readSingleDocument(host, file, allowed)));
  if (!isApplication(application))
    throw submitError("SUBMIT_ERR_MANIFEST_KIND", { file, found: "a schedule", allowed });
  const applied = appliedApplication({ file, application }, { options, reservedKeys });
  printWarnings(host, applied.warnings);
  const reason = noObjectsText(applied);
  if (reason !== undefined) {
    host.stderr.write(reason);
    return undefined;
  }
  const overrides = { fields: { master }, settings: [], verbose: false };
  return dryApplication(host, (machine) => applied.submit(machine, overrides), { seed });
}
