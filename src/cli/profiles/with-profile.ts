import { readManifest } from "../../applications/read-manifest.ts";
import { nearestName } from "../../conf/nearest-name.ts";
import type { Setting } from "../../conf/setting.ts";
import { issue } from "../../errors/issue.ts";
import { submitError, throwIssues } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { SubmitInvocation } from "../../plan/invocation.ts";
import { type ProfileFile, readProfiles } from "../../spark-application/own/profiles.ts";

const fileName = "firesteel.yaml";

/**
 * Adds the settings of a profile, which take precedence over properties files, but not over the command line.
 *
 * @throws SUBMIT_ERR_PROFILE_UNKNOWN, SUBMIT_ERR_MANIFEST_…
 */
export async function withProfile(host: Host, invocation: SubmitInvocation, name: string): Promise<SubmitInvocation> {
  const specified = new Set(invocation.settings.map(({ key }) => key));
  const added = (await profileSettings(host, name)).filter(({ key }) => !specified.has(key));
  return { ...invocation, settings: [...invocation.settings, ...added] };
}

/**
 * Reads the settings of a profile from the file of the project, which takes precedence, and that of the user.
 *
 * @throws SUBMIT_ERR_PROFILE_UNKNOWN, SUBMIT_ERR_MANIFEST_…
 */
export async function profileSettings(host: Host, name: string): Promise<readonly Setting[]> {
  const user = userFile(host);
  const project = projectFile(host);
  const files = [...new Set([user, ...(project === undefined ? [] : [project])])];
  const read: ProfileFile[] = [];
  for (const path of files) if (host.files.info(path)?.kind === "file") read.push(await readFile(host, path));
  const found = read.filter(({ profiles }) => Object.hasOwn(profiles, name));
  if (found.length === 0) {
    const known = [...new Set(read.flatMap(({ profiles }) => Object.keys(profiles)))].sort();
    const shown = project === undefined ? [user, `${host.cwd}/${fileName}`] : files;
    throw submitError("SUBMIT_ERR_PROFILE_UNKNOWN", { name, known, nearest: nearestName(name, known), files: shown });
  }
  const settings = found.flatMap(({ path, profiles }) =>
    Object.entries(profiles[name] ?? {}).map(([key, value]): Setting => {
      return { key, value: String(value), origin: { kind: "file", path } };
    }),
  );
  return [...new Map(settings.map((setting) => [setting.key, setting])).values()];
}

async function readFile(host: Host, path: string): Promise<ProfileFile> {
  const [document = {}, ...others] = await readManifest(host, path);
  const read = readProfiles(path, document);
  throwIssues(
    read.ok && others.length > 0
      ? [issue("SUBMIT_ERR_MANIFEST_UNREADABLE", { file: path, reason: "it has several documents" })]
      : read.ok
        ? []
        : read.issues,
  );
  return read.ok ? read.value : { path, profiles: {} };
}

/** Returns the file of the user. Source: XDG Base Directory Specification 0.8. */
function userFile({ env, user }: Host): string {
  const xdg = env["XDG_CONFIG_HOME"];
  return `${xdg?.startsWith("/") === true ? xdg : `${user.home}/.config`}/firesteel/${fileName}`;
}

/** Finds the file of the project: in the working directory, or in the nearest directory above. */
function projectFile({ cwd, files }: Host): string | undefined {
  const segments = cwd.split("/").filter((segment) => segment !== "");
  const directories = [...segments.keys(), segments.length].map((count) => `/${segments.slice(0, count).join("/")}`);
  return directories
    .map((directory) => `${directory === "/" ? "" : directory}/${fileName}`)
    .findLast((path) => files.info(path)?.kind === "file");
}
