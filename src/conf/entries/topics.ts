import { type ConfEntry, noDefault, type PrefixEntry } from "../entry.ts";
import * as allocation from "./allocation.ts";
import * as app from "./app.ts";
import * as authenticate from "./authenticate.ts";
import * as bucket from "./bucket.ts";
import * as delegationTokens from "./delegation-tokens.ts";
import * as driver from "./driver.ts";
import * as dynamicAllocation from "./dynamic-allocation.ts";
import * as executor from "./executor.ts";
import * as firesteel from "./firesteel.ts";
import * as hadoop from "./hadoop.ts";
import * as image from "./image.ts";
import * as localizing from "./localizing.ts";
import * as packages from "./packages.ts";
import * as pushing from "./pushing.ts";
import * as pythonEnv from "./python-env.ts";
import * as pythonVersion from "./python-version.ts";
import * as restServer from "./rest-server.ts";
import * as secrets from "./secrets.ts";
import * as shuffleProfile from "./shuffle-profile.ts";
import * as staging from "./staging.ts";
import * as standalone from "./standalone.ts";
import * as submission from "./submission.ts";
import * as uploading from "./uploading.ts";
import * as volumes from "./volumes.ts";
import * as watching from "./watching.ts";
import * as yarn from "./yarn.ts";

const topics = {
  allocation,
  app,
  authenticate,
  bucket,
  delegationTokens,
  driver,
  dynamicAllocation,
  executor,
  firesteel,
  hadoop,
  image,
  localizing,
  packages,
  pushing,
  pythonEnv,
  pythonVersion,
  restServer,
  secrets,
  shuffleProfile,
  staging,
  standalone,
  submission,
  uploading,
  volumes,
  watching,
  yarn,
};

const declared: readonly Declared[] = collect(topics);

/** Lists all settings and families that the modules of this directory declare, in the order of the modules. */
export function declaredEntries(): readonly Declared[] {
  return declared;
}

type Declared = ConfEntry<unknown> | PrefixEntry;

/** Returns the text that replaces `${key}` if the key is not set; `undefined` if it has no default. */
export function defaultTextOf(key: string): string | undefined {
  defaultTexts ??= new Map(declared.flatMap((entry) => (isEntry(entry) ? [[entry.key, entry.defaultText]] : [])));
  const text = defaultTexts.get(key);
  return text === noDefault ? undefined : text;
}

let defaultTexts: ReadonlyMap<string, string> | undefined;

/** Whether an entry is a setting, not a family of settings. */
export function isEntry(node: object): node is ConfEntry<unknown> {
  return "key" in node && "parse" in node;
}

/** Collects the entries in a tree of modules, role pairs and groups. */
function collect(node: unknown): Declared[] {
  if (typeof node !== "object" || node === null) return [];
  return isEntry(node) || isPrefixEntry(node) ? [node] : Object.values(node).flatMap(collect);
}

function isPrefixEntry(node: object): node is PrefixEntry {
  return "prefix" in node;
}
