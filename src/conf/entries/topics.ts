import { type ConfEntry, noDefault, type PrefixEntry } from "../entry.ts";
import * as app from "./app.ts";
import * as authenticate from "./authenticate.ts";
import * as bucket from "./bucket.ts";
import * as driver from "./driver.ts";
import * as dynamicAllocation from "./dynamic-allocation.ts";
import * as executor from "./executor.ts";
import * as firesteel from "./firesteel.ts";
import * as hadoop from "./hadoop.ts";
import * as image from "./image.ts";
import * as localizing from "./localizing.ts";
import * as pushing from "./pushing.ts";
import * as secrets from "./secrets.ts";
import * as staging from "./staging.ts";
import * as standalone from "./standalone.ts";
import * as submission from "./submission.ts";
import * as uploading from "./uploading.ts";
import * as volumes from "./volumes.ts";
import * as watching from "./watching.ts";
import * as yarn from "./yarn.ts";

const topics = {
  app,
  authenticate,
  bucket,
  driver,
  dynamicAllocation,
  executor,
  firesteel,
  hadoop,
  image,
  localizing,
  pushing,
  secrets,
  staging,
  standalone,
  submission,
  uploading,
  volumes,
  watching,
  yarn,
};

/** All settings and families that the modules of this folder declare, in the order of the modules. */
export function declaredEntries(): readonly Declared[] {
  const found: Declared[] = [];
  collect(topics, found);
  return found;
}

type Declared = ConfEntry<unknown> | PrefixEntry;

/** What `${key}` stands for where the key is not set; `undefined` where it has no default. */
export function defaultTextOf(key: string): string | undefined {
  const entry = declaredEntries().find((candidate) => isEntry(candidate) && candidate.key === key);
  return entry !== undefined && isEntry(entry) && entry.defaultText !== noDefault
    ? entry.defaultText
    : undefined;
}

/** True for a setting, false for a family of settings. */
export function isEntry(node: object): node is ConfEntry<unknown> {
  return "key" in node && "parse" in node;
}

/** Finds the entries in a tree of modules, role pairs and groups. Each start of a submission walks it. */
function collect(node: unknown, found: Declared[]): void {
  if (typeof node !== "object" || node === null) return;
  if (isEntry(node) || isPrefixEntry(node)) found.push(node);
  else for (const member of Object.values(node)) collect(member, found);
}

function isPrefixEntry(node: object): node is PrefixEntry {
  return "prefix" in node;
}
