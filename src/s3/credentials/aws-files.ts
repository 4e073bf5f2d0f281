import type { Host } from "../../host/host.ts";
import { parseIni } from "./ini.ts";

/** A profile of `~/.aws`: what its sections in both files say. */
export type Profile = ReadonlyMap<string, string>;

type Machine = Pick<Host, "env" | "files" | "user" | "cwd">;

/** The profile that the environment names, else `default`. */
export function profileName({ env }: Pick<Host, "env">): string {
  return env["AWS_PROFILE"] || env["AWS_DEFAULT_PROFILE"] || "default";
}

/** A profile by its name; of what both files say, the file of credentials counts. `undefined` when it is in neither. */
export function readProfile(machine: Machine, name: string): Profile | undefined {
  const [config, credentials] = [
    sectionOf(machine, "AWS_CONFIG_FILE", "config", name),
    sectionOf(machine, "AWS_SHARED_CREDENTIALS_FILE", "credentials", name),
  ];
  if (config === undefined && credentials === undefined) return undefined;
  return new Map([...(config ?? []), ...(credentials ?? [])]);
}

function sectionOf({ env, files, user, cwd }: Machine, variable: string, file: string, name: string) {
  const given = env[variable] || `${user.home}/.aws/${file}`;
  const home = given.replace(/^~(?=\/)/, user.home);
  const text = files.readText(home.startsWith("/") ? home : `${cwd}/${home}`);
  return text === undefined ? undefined : parseIni(text).get(name);
}
