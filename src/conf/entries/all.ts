import { type ConfEntry, noDefault, type PrefixEntry } from "../entry.ts";
import * as app from "./app.ts";
import * as authenticate from "./authenticate.ts";
import * as driver from "./driver.ts";
import * as dynamicAllocation from "./dynamic-allocation.ts";
import * as executor from "./executor.ts";
import * as firesteel from "./firesteel.ts";
import * as hadoop from "./hadoop.ts";
import * as image from "./image.ts";
import * as secrets from "./secrets.ts";
import * as staging from "./staging.ts";
import * as submission from "./submission.ts";
import * as volumes from "./volumes.ts";
import * as watching from "./watching.ts";

const topics = {
  app,
  authenticate,
  driver,
  dynamicAllocation,
  executor,
  firesteel,
  hadoop,
  image,
  secrets,
  staging,
  submission,
  volumes,
  watching,
};

/** Every setting that we know, sorted by key. */
export const allEntries: readonly ConfEntry<unknown>[] = leaves(topics)
  .filter(isEntry)
  .sort((a, b) => (a.key < b.key ? -1 : 1));

/** Every family of settings that we know, sorted by prefix. */
export const allPrefixEntries: readonly PrefixEntry[] = leaves(topics)
  .filter(isPrefixEntry)
  .sort((a, b) => (a.prefix < b.prefix ? -1 : 1));

/** What `${key}` stands for where the key is not set. */
export const defaultTexts: Readonly<Record<string, string>> = Object.fromEntries(
  allEntries.flatMap(({ key, defaultText }) => (defaultText === noDefault ? [] : [[key, defaultText]])),
);

/** The entries in a tree of modules, role pairs and groups. */
function leaves(node: unknown): readonly object[] {
  if (typeof node !== "object" || node === null) return [];
  return isEntry(node) || isPrefixEntry(node) ? [node] : Object.values(node).flatMap(leaves);
}

function isEntry(node: object): node is ConfEntry<unknown> {
  return "key" in node && "parse" in node;
}

function isPrefixEntry(node: object): node is PrefixEntry {
  return "prefix" in node;
}
