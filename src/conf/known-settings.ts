import { editDistance } from "./edit-distance.ts";
import * as bucket from "./entries/bucket.ts";
import { checkedPrefixes, uncheckedPrefixes } from "./entries/checked-prefixes.ts";
import { driverSideKeys, removedKeys } from "./entries/driver-side.ts";
import * as firesteel from "./entries/firesteel.ts";
import * as localizing from "./entries/localizing.ts";
import * as pushing from "./entries/pushing.ts";
import * as standalone from "./entries/standalone.ts";
import { declaredEntries, isEntry } from "./entries/topics.ts";
import * as uploading from "./entries/uploading.ts";
import type { Setting } from "./setting.ts";
import type { SparkConf } from "./spark-conf.ts";
import type { SparkLine } from "./spark-version.ts";

/** A setting that the Spark of a submission does not read, as far as we know. */
export interface IgnoredSetting {
  readonly setting: Setting;
  /** Which lines read it; `nobody` does where it is misspelt. */
  readonly reader: "nobody" | { readonly since: string } | { readonly until: string };
}

/** Settings `spark.kubernetes.*` that nobody reads, neither here nor in the driver. */
export function ignoredSettings(conf: SparkConf): readonly IgnoredSetting[] {
  const judged = conf.settings().filter(({ key }) => key.startsWith(checkedPrefixes.kubernetes));
  if (judged.length === 0) return [];
  const known = knownKeys();
  return judged.flatMap((setting) => {
    const reader = readerOf(setting.key, known, conf.version.line);
    return reader === "somebody" ? [] : [{ setting, reader }];
  });
}

/** A setting that nobody here knows, and the known keys of which it is a slip away. */
export interface MisspelledSetting {
  readonly setting: Setting;
  readonly meant: readonly string[];
}

/** Shorter keys are a slip away from too many others. */
const shortestKey = 12;
const mostSlips = 2;

/**
 * Settings of other families than those in which every key is judged, one or two letters from a known key. Keys of other
 * libraries are their own affair, however they are written.
 */
export function misspelledSettings(conf: SparkConf): readonly MisspelledSetting[] {
  const given = writtenElsewhere(conf);
  if (given.length === 0) return [];
  const known = knownKeys();
  return given.flatMap((setting) => {
    const { key } = setting;
    if (key.length < shortestKey || known.has(key) || familyOf(key, known) !== undefined) return [];
    const meant = [...known.keys()].filter((candidate) => isSlip(key, candidate));
    return meant.length === 0 ? [] : [{ setting, meant: meant.sort() }];
  });
}

/** What somebody wrote, outside the families that are judged or passed over. */
function writtenElsewhere(conf: SparkConf): readonly Setting[] {
  const others = [...Object.values(checkedPrefixes), ...uncheckedPrefixes];
  return conf
    .settings()
    .filter(
      ({ key, origin }) =>
        (origin.kind === "conf" || origin.kind === "file") &&
        !others.some((family) => key.startsWith(family)),
    );
}

function isSlip(key: string, candidate: string): boolean {
  if (candidate.endsWith(".") || Math.abs(candidate.length - key.length) > mostSlips) return false;
  return editDistance(key, candidate) <= mostSlips;
}

/** Settings `spark.firesteel.*` that there are not. */
export function unknownFiresteelSettings(conf: SparkConf): readonly Setting[] {
  const given = conf.settings().filter(({ key }) => key.startsWith(checkedPrefixes.firesteel));
  const own = [bucket, firesteel, localizing, pushing, standalone, uploading].flatMap((topic) =>
    Object.values<object>(topic),
  );
  return given.filter(({ key }) => !own.some((declared) => isEntry(declared) && declared.key === key));
}

/**
 * Keys, and families by their prefix with its last dot, with the first version that has them; without the families to
 * which everything belongs.
 */
export function knownKeys(): ReadonlyMap<string, string> {
  const { kubernetes, firesteel: ours } = checkedPrefixes;
  const known = new Map(driverSideKeys.map(({ key, since }) => [key, since]));
  for (const declared of declaredEntries()) {
    const key = isEntry(declared) ? declared.key : declared.prefix;
    if (key !== ours && !kubernetes.startsWith(key)) known.set(key, declared.since);
  }
  return known;
}

function readerOf(
  key: string,
  known: ReadonlyMap<string, string>,
  line: SparkLine,
): IgnoredSetting["reader"] | "somebody" {
  const since = known.get(key) ?? known.get(familyOf(key, known) ?? "");
  if (since === undefined) return "nobody";
  if (isLater(since, line)) return { since: lineOf(since) };
  const until = removedKeys[key];
  return until === undefined || isLater(until, line) ? "somebody" : { until };
}

/** The longest known prefix of a key that ends with a dot. */
function familyOf(key: string, known: ReadonlyMap<string, string>): string | undefined {
  for (let end = key.lastIndexOf("."); end > 0; end = key.lastIndexOf(".", end - 1)) {
    const prefix = key.slice(0, end + 1);
    if (known.has(prefix)) return prefix;
  }
  return undefined;
}

/** `4.1.0` is of the line 4.1. */
function lineOf(version: string): string {
  return version.split(".").slice(0, 2).join(".");
}

/** True where `version` begins after `line`; what is ours is of every line. */
function isLater(version: string, line: SparkLine): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [lineMajor = 0, lineMinor = 0] = line.split(".").map(Number);
  return major > lineMajor || (major === lineMajor && minor > lineMinor);
}
