import { editDistance } from "./edit-distance.ts";
import { checkedPrefixes, uncheckedPrefixes } from "./entries/checked-prefixes.ts";
import { driverSideKeys, removedKeys } from "./entries/driver-side.ts";
import { declaredEntries, isEntry } from "./entries/topics.ts";
import type { Setting } from "./setting.ts";
import type { SparkConf } from "./spark-conf.ts";
import type { SparkLine } from "./spark-version.ts";

/** Setting that neither this line of Spark nor Firesteel reads. */
export interface IgnoredSetting {
  readonly setting: Setting;
  /** Lines that read the setting; `unknown` if it is misspelled. */
  readonly reader: "unknown" | { readonly since: string } | { readonly until: string };
}

/** Finds settings `spark.kubernetes.*` that neither Firesteel nor the driver reads. */
export function ignoredSettings(conf: SparkConf): readonly IgnoredSetting[] {
  const checked = conf.settings().filter(({ key }) => key.startsWith(checkedPrefixes.kubernetes));
  if (checked.length === 0) return [];
  const known = readKeys();
  return checked.flatMap((setting) => {
    const reader = readerOf(setting.key, known, conf.version.line);
    return reader === "current" ? [] : [{ setting, reader }];
  });
}

/** Unknown setting, and the known keys from which it differs by a typo. */
interface MisspelledSetting {
  readonly setting: Setting;
  readonly suggestions: readonly string[];
}

/** Minimum length of a checked key: shorter keys are similar to too many others. */
const minKeyLength = 12;
const maxEditDistance = 2;

/**
 * Finds settings that differ from a known key by one or two letters, outside the families in which every key is checked. Other
 * libraries may use any key.
 */
export function misspelledSettings(conf: SparkConf): readonly MisspelledSetting[] {
  const written = writtenElsewhere(conf);
  if (written.length === 0) return [];
  const [known, read] = [knownKeys(), readKeys()];
  return written.flatMap((setting) => {
    const { key } = setting;
    if (key.length < minKeyLength || read.has(key) || familyOf(key, known) !== undefined) return [];
    const suggestions = [...known.keys()].filter((candidate) => isTypo(key, candidate));
    return suggestions.length === 0 ? [] : [{ setting, suggestions: suggestions.sort() }];
  });
}

/** Settings that the user wrote outside the checked and unchecked families. */
function writtenElsewhere(conf: SparkConf): readonly Setting[] {
  const others = [...Object.values(checkedPrefixes), ...uncheckedPrefixes];
  return conf
    .settings()
    .filter(
      ({ key, origin }) =>
        (origin.kind === "conf" || origin.kind === "file") && !others.some((family) => key.startsWith(family)),
    );
}

function isTypo(key: string, candidate: string): boolean {
  if (candidate.endsWith(".") || Math.abs(candidate.length - key.length) > maxEditDistance) return false;
  return editDistance(key, candidate) <= maxEditDistance;
}

/** Finds settings `spark.firesteel.*` that do not exist. */
export function unknownFiresteelSettings(conf: SparkConf): readonly Setting[] {
  const written = conf.settings().filter(({ key }) => key.startsWith(checkedPrefixes.firesteel));
  return written.filter(({ key }) => !knownKeys().has(key));
}

/**
 * Lists the known keys and prefixes with the first version that has them. Excludes the prefixes to which all settings belong.
 */
export function knownKeys(): ReadonlyMap<string, string> {
  known ??= collectKnown();
  return known;
}

/** Computed once: a server checks many submissions. */
let known: ReadonlyMap<string, string> | undefined;
let read: ReadonlyMap<string, string> | undefined;

function collectKnown(): ReadonlyMap<string, string> {
  const { kubernetes, firesteel: firesteelPrefix } = checkedPrefixes;
  const found = new Map(driverSideKeys.map(({ key, since }) => [key, since]));
  for (const declared of declaredEntries()) {
    const key = isEntry(declared) ? declared.key : declared.prefix;
    if (key !== firesteelPrefix && !kubernetes.startsWith(key)) found.set(key, declared.since);
  }
  return found;
}

/** Returns the known keys with the older names of settings that are still read. */
function readKeys(): ReadonlyMap<string, string> {
  read ??= new Map([...olderNames(), ...knownKeys()]);
  return read;
}

function olderNames(): readonly (readonly [string, string])[] {
  return declaredEntries().flatMap((declared) =>
    isEntry(declared) ? declared.alternatives.map((key) => [key, declared.since] as const) : [],
  );
}

function readerOf(
  key: string,
  known: ReadonlyMap<string, string>,
  line: SparkLine,
): IgnoredSetting["reader"] | "current" {
  const since = known.get(key) ?? known.get(familyOf(key, known) ?? "");
  if (since === undefined) return "unknown";
  if (isLater(since, line)) return { since: lineOf(since) };
  const until = removedKeys[key];
  return until === undefined || isLater(until, line) ? "current" : { until };
}

/** Finds the longest known prefix of a key. */
function familyOf(key: string, known: ReadonlyMap<string, string>): string | undefined {
  for (let end = key.lastIndexOf("."); end > 0; end = key.lastIndexOf(".", end - 1)) {
    const prefix = key.slice(0, end + 1);
    if (known.has(prefix)) return prefix;
  }
  return undefined;
}

/** Returns the line of a version: `4.1` of `4.1.0`. */
function lineOf(version: string): string {
  return version.split(".").slice(0, 2).join(".");
}

/** Whether `version` is later than `line`; never for Firesteel's own settings. */
function isLater(version: string, line: SparkLine): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [lineMajor = 0, lineMinor = 0] = line.split(".").map(Number);
  return major > lineMajor || (major === lineMajor && minor > lineMinor);
}
