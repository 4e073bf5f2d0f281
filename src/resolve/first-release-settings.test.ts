import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { firstReleaseNamespace } from "../conf/entries/first-release-namespace.ts";
import { allFirstReleaseKeys } from "../conf/entries/test-first-release-keys.ts";
import { declaredEntries, isEntry } from "../conf/entries/topics.ts";
import { ignoredSettings, knownKeys, misspelledSettings } from "../conf/known-settings.ts";
import { SparkConf } from "../conf/spark-conf.ts";
import { testHost } from "../host/test-host.ts";
import { readSettings } from "./read-settings.ts";

/** Whether Firesteel or a driver reads a key, or one of its family. */
function isKnown(key: string): boolean {
  const known = [...knownKeys().keys(), ...declaredEntries().flatMap((one) => (isEntry(one) ? one.alternatives : []))];
  return known.some((name) => name === key || (name.endsWith(".") && key.startsWith(name)));
}

test.for(allFirstReleaseKeys)(
  "settings of the first releases include %s: served, replaced, or without an effect for a reason",
  (family) => {
    const key = family.endsWith(".") ? `${family}some` : family;
    const value = /labels$|annotations$/.test(key) ? "a=1" : "1";
    const commandLine = {
      fields: {},
      settings: [{ key, value, origin: { kind: "conf" as const } }],
      propertiesFile: undefined,
      extraPropertiesFiles: [],
    };
    const { settings, warnings } = readSettings(testHost({ env: {} }), {
      ...{ ...commandLine, loadsDefaults: false, supervise: false, verbose: false },
    });
    const read = new SparkConf(
      settings.values(),
      { text: "4.3.0", line: "4.3" },
      { env: {}, defaults: () => undefined },
    );
    expect([...ignoredSettings(read), ...misspelledSettings(read)]).toEqual([]);
    const isServed = [...settings.keys()].every((name) => isKnown(name));
    expect({ isServed, isExplained: warnings.length > 0 || settings.has(key) }).toEqual({
      ...{ isServed: true, isExplained: true },
    });
    const page = readFileSync("docs/first-release-settings.md", "utf8");
    expect(page.split("`").some((text) => text === family || (text.endsWith(".") && family.startsWith(text)))).toBe(
      key !== firstReleaseNamespace,
    );
  },
);
