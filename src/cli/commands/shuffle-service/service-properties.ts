import {
  shuffleServiceEntries,
  shuffleServiceFileEntries,
  shuffleServicePrefix,
} from "../../../conf/entries/shuffle-service.ts";
import { nearestKeys } from "../../../conf/nearest-keys.ts";
import { type Issue, issue } from "../../../errors/issue.ts";
import { submitError } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import { readPropertiesFile } from "../../read-properties-file.ts";

/** Name of an option, without its hyphens. */
export type ServiceOption = keyof typeof shuffleServiceEntries;

/** Names of all options that are settings too, without their hyphens. */
export const serviceOptions: readonly ServiceOption[] = Object.keys(shuffleServiceEntries).filter(isServiceOption);

const fileOption = "--properties-file";

/**
 * Reads the settings of a properties file: the keys that begin with `spark.`, with references replaced.
 *
 * @throws SubmitError `SUBMIT_ERR_SHUFFLE_FILE`
 */
export function readServiceProperties(
  host: Pick<Host, "files" | "env" | "cwd">,
  specified: string | undefined,
): { readonly properties: ReadonlyMap<string, string>; readonly issues: readonly Issue[] } {
  if (specified === undefined) return { properties: new Map(), issues: [] };
  const { path, found } = readPropertiesFile(host, specified);
  const failed = (reason: string) => submitError("SUBMIT_ERR_SHUFFLE_FILE", { key: fileOption, path, reason });
  if (found === undefined) throw failed("the file does not exist");
  if (!found.ok) throw failed(`the file is invalid: ${found.reason}`);
  return { properties: found.settings, issues: [...found.issues, ...unknownKeys(found.settings, path)] };
}

/** Reports unknown settings of the service. The file can contain any other settings of Spark. */
function unknownKeys(properties: ReadonlyMap<string, string>, origin: string): readonly Issue[] {
  const known = [...Object.values(shuffleServiceEntries), ...Object.values(shuffleServiceFileEntries)].map(
    ({ key }) => key,
  );
  return [...properties.keys()]
    .filter((key) => key.startsWith(shuffleServicePrefix) && !known.includes(key))
    .map((key) => issue("SUBMIT_ERR_SETTING_UNKNOWN", { key, origin, nearest: nearestKeys(key, known) }));
}

function isServiceOption(name: string): name is ServiceOption {
  return name in shuffleServiceEntries;
}
