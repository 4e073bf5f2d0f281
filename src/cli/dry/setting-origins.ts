import type { SettingOrigin } from "../../conf/setting.ts";
import type { SparkConf } from "../../conf/spark-conf.ts";
import { lineOfKey } from "../../explain/line-of-key.ts";
import type { Host } from "../../host/host.ts";

/** Origin of each setting by key: `--conf`, `/etc/spark/spark-defaults.conf:12`, `environment MASTER`. */
export type SettingOrigins = ReadonlyMap<string, string>;

/** Prints the origins of all settings, with line numbers for files. */
export function settingOrigins(host: Host, conf: SparkConf): SettingOrigins {
  const texts = new Map<string, string>();
  const textOf = (path: string) => {
    const text = texts.get(path) ?? host.files.readText(path) ?? "";
    texts.set(path, text);
    return text;
  };
  return new Map(
    conf.settings().map(({ key, origin }) => [key, printOrigin(origin, (path) => lineOfKey(textOf(path), key))]),
  );
}

function printOrigin(origin: SettingOrigin, lineIn: (path: string) => number | undefined): string {
  switch (origin.kind) {
    case "option":
      return origin.option.startsWith("-") ? origin.option : toFlag(origin.option);
    case "conf":
      return "--conf";
    case "file": {
      const line = lineIn(origin.path);
      return line === undefined ? origin.path : `${origin.path}:${line}`;
    }
    case "environment":
      return `environment ${origin.variable}`;
    case "client":
      return `the submission itself (${origin.why})`;
  }
}

/** Converts a field of a submission, e.g. `deployMode`, to its option. */
function toFlag(field: string): string {
  return `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
