import { absolutePath } from "../../host/absolute-path.ts";
import type { Host } from "../../host/host.ts";
import { parseIni } from "./ini.ts";

/** Profile of `~/.aws`: the merged sections of both files. */
export type Profile = ReadonlyMap<string, string>;

type Machine = Pick<Host, "env" | "files" | "user" | "cwd">;

/** Returns the profile that the environment names, or `default`. */
export function profileName({ env }: Pick<Host, "env">): string {
  return env["AWS_PROFILE"] || env["AWS_DEFAULT_PROFILE"] || "default";
}

/** Reads a profile by name. The credentials file wins over the config file. `undefined` when neither has it. */
export function readProfile(machine: Machine, name: string): Profile | undefined {
  const [config, credentials] = [
    sectionOf(machine, "AWS_CONFIG_FILE", "config", name),
    sectionOf(machine, "AWS_SHARED_CREDENTIALS_FILE", "credentials", name),
  ];
  if (config === undefined && credentials === undefined) return undefined;
  return new Map([...(config ?? []), ...(credentials ?? [])]);
}

function sectionOf({ env, files, user, cwd }: Machine, variable: string, file: string, name: string) {
  const configuredPath = env[variable] || `${user.home}/.aws/${file}`;
  const home = configuredPath.replace(/^~(?=\/)/, user.home);
  const text = files.readText(absolutePath({ cwd }, home));
  return text === undefined ? undefined : parseIni(text).get(name);
}
