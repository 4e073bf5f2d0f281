import {
  clientStagingKeys,
  stagingServerEntries,
  stagingServerPrefixes,
} from "../../../conf/entries/staging-server.ts";
import { nearestKeys } from "../../../conf/nearest-keys.ts";
import { type Issue, issue } from "../../../errors/issue.ts";
import { submitError } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import { readPropertiesFile } from "../../read-properties-file.ts";

/** Text of an option and its origin: `--port`, `FIRESTEEL_STAGING_PORT` or a key of the file. */
export interface OptionText {
  readonly origin: string;
  readonly text: string;
}

/** Name of an option, without its hyphens. */
export type StagingOption = keyof typeof stagingServerEntries;

/** Names of all options, without their hyphens. */
export const stagingOptions: readonly StagingOption[] = Object.keys(stagingServerEntries).filter(isStagingOption);

/** Returns the environment variable of an option. */
export function variableOf(option: StagingOption): string {
  return `FIRESTEEL_STAGING_${option.toUpperCase().replaceAll("-", "_")}`;
}

/** Returns a lookup of option texts: the command line overrides the environment, which overrides the file. */
export function optionTexts(
  host: Pick<Host, "env">,
  flag: (option: StagingOption) => string | undefined,
  properties: ReadonlyMap<string, string>,
): (option: StagingOption) => OptionText | undefined {
  return (option) => {
    const text = flag(option);
    if (text !== undefined) return { origin: `--${option}`, text };
    const variable = host.env[variableOf(option)];
    if (variable !== undefined && variable !== "") return { origin: variableOf(option), text: variable };
    const { key, alternatives } = stagingServerEntries[option];
    for (const origin of [key, ...alternatives]) {
      const value = properties.get(origin);
      if (value !== undefined) return { origin, text: value };
    }
    return undefined;
  };
}

/**
 * Reads the settings of a properties file: the keys that begin with `spark.`, with references replaced.
 *
 * @throws SubmitError `SUBMIT_ERR_STAGING_PROPERTIES`
 */
export function readServerProperties(
  host: Pick<Host, "files" | "env" | "cwd">,
  specified: string | undefined,
): { readonly properties: ReadonlyMap<string, string>; readonly issues: readonly Issue[] } {
  if (specified === undefined) return { properties: new Map(), issues: [] };
  const { path, found } = readPropertiesFile(host, specified);
  if (found === undefined) throw submitError("SUBMIT_ERR_STAGING_PROPERTIES", { path });
  if (!found.ok) throw submitError("SUBMIT_ERR_STAGING_START", { reason: `${path}: ${found.reason}` });
  const { settings: properties, issues } = found;
  return { properties, issues: [...issues, ...unknownKeys(properties, path)] };
}

function unknownKeys(properties: ReadonlyMap<string, string>, path: string): readonly Issue[] {
  const known = stagingOptions.flatMap((option) => {
    const { key, alternatives } = stagingServerEntries[option];
    return [key, ...alternatives];
  });
  return [...properties.keys()]
    .filter((key) => stagingServerPrefixes.some((prefix) => key.startsWith(prefix)))
    .filter((key) => !known.includes(key) && !clientStagingKeys.includes(key))
    .map((key) => issue("SUBMIT_ERR_SETTING_UNKNOWN", { key, origin: path, nearest: nearestKeys(key, known) }));
}

function isStagingOption(name: string): name is StagingOption {
  return name in stagingServerEntries;
}
