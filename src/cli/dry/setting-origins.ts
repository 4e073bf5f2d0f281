import type { SettingOrigin } from "../../conf/setting.ts";
import type { SparkConf } from "../../conf/spark-conf.ts";
import { lineOfKey } from "../../explain/line-of-key.ts";
import type { Host } from "../../host/host.ts";

/** Where each setting was given, in words: `--conf`, `/etc/spark/spark-defaults.conf:12`, `environment MASTER`. */
export type SettingOrigins = ReadonlyMap<string, string>;

/** Finds the lines of settings that came from files. */
export function settingOrigins(host: Host, conf: SparkConf): SettingOrigins {
  const texts = new Map<string, string>();
  const textOf = (path: string) => {
    const text = texts.get(path) ?? host.files.readText(path) ?? "";
    texts.set(path, text);
    return text;
  };
  return new Map(
    conf
      .settings()
      .map(({ key, origin }) => [key, printPlace(origin, (path) => lineOfKey(textOf(path), key))]),
  );
}

function printPlace(origin: SettingOrigin, lineIn: (path: string) => number | undefined): string {
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

/** Fields of a submission are called as options are, in another spelling: `deployMode`. */
function toFlag(field: string): string {
  return `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
