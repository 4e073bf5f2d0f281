import { messageOf } from "../../errors/message-of.ts";
import type { DirectoryTrees, TreeRemoval } from "../../host/directory-trees.ts";
import type { Host } from "../../host/host.ts";
import type { ServerLog } from "../../http/server-log.ts";
import { isWithin } from "../../values/is-within.ts";
import type { RegistrationLog } from "../registry/registration-log.ts";
import type { Registrations } from "../registry/registrations.ts";

/** Dependencies of a removal. */
export interface RemovalContext {
  readonly host: Pick<Host, "random">;
  readonly trees: DirectoryTrees;
  /** Canonical paths. */
  readonly roots: readonly string[];
  readonly registrations: Registrations;
  readonly registrationLog: RegistrationLog | undefined;
  readonly log: ServerLog;
  /** Called after each removal of an application's files; `isComplete`: nothing of them remains. */
  readonly onRemoved: (reason: string, removed: { readonly bytes: number; readonly isComplete: boolean }) => void;
}

/** Prefix of directories that are being removed. */
export const removedPrefix = ".removed-";

/**
 * Forgets an application and removes its files. Fetches fail from now on; running transfers end, because an open file survives its removal.
 */
export async function removeApplication(context: RemovalContext, appId: string, reason: string): Promise<void> {
  const { registrations, registrationLog, log, onRemoved } = context;
  const directories = directoriesToRemove(context, appId);
  registrations.removeApplication(appId);
  try {
    await registrationLog?.removeApplication(appId);
  } catch (error) {
    log("ERROR", "A removal cannot be stored, so a restart repeats it.", { appId, reason: messageOf(error) });
  }
  const removals: TreeRemoval[] = [];
  for (const directory of directories) removals.push(await removeDirectory(context, directory));
  const bytes = removals.reduce((sum, removal) => sum + removal.bytes, 0);
  const isComplete = removals.every(({ problem }) => problem === undefined);
  onRemoved(reason, { bytes, isComplete });
  if (isComplete) log("INFO", "The files of an application were removed.", { appId, reason, bytes, directories });
  else log("WARN", "Files of an application remain.", { appId, reason, bytes, directories });
}

/** Returns the directories of an application: those named by its ID, if nothing in them belongs to another one, else those that it registered. */
export function directoriesToRemove(
  { registrations, roots }: Pick<RemovalContext, "registrations" | "roots">,
  appId: string,
): readonly string[] {
  const own = dirsOf(registrations, appId);
  const others = [...registrations.applications.keys()].flatMap((other) =>
    other === appId ? [] : dirsOf(registrations, other),
  );
  const found = own.map((directory) => {
    const root = roots.find((candidate) => isWithin(directory, candidate));
    const named = root === undefined ? undefined : namedDirectory(directory, root, appId);
    return named === undefined || others.some((other) => isWithin(other, named)) ? directory : named;
  });
  // A root itself is not removed, and a directory is removed with those below it.
  return [...new Set(found)].filter(
    (directory) =>
      !roots.includes(directory) && !found.some((other) => other !== directory && isWithin(directory, other)),
  );
}

function dirsOf({ applications }: Registrations, appId: string): readonly string[] {
  return [...(applications.get(appId)?.executors.values() ?? [])].flatMap(({ realDirs }) => realDirs);
}

/** Returns the directory above a path, below a root, whose name is the application ID. */
function namedDirectory(path: string, root: string, appId: string): string | undefined {
  const parts = path.slice(root.length).split("/");
  const index = parts.indexOf(appId);
  return index < 1 ? undefined : `${root}${parts.slice(0, index + 1).join("/")}`;
}

/**
 * Removes a directory as far as possible, and logs why something remains. Renames it first, so that fetches fail at once and a crash
 * leaves a name that shows the purpose.
 */
export async function removeDirectory(
  context: Pick<RemovalContext, "host" | "trees" | "roots" | "log">,
  directory: string,
): Promise<TreeRemoval> {
  const { host, trees, roots } = context;
  const root = roots.find((candidate) => isWithin(directory, candidate));
  if (root === undefined || root === directory) return { bytes: 0 };
  const target = `${root}/${removedPrefix}${host.random.uuid()}`;
  const isMoved = await trees.move(directory, target).catch(() => undefined);
  if (isMoved === false) return { bytes: 0 };
  // It is on another file system, or the root is not writable.
  return await removeInPlace(context, isMoved === undefined ? directory : target);
}

/** Removes a directory as far as possible, and logs why something remains. */
export async function removeInPlace(
  { trees, log }: Pick<RemovalContext, "trees" | "log">,
  directory: string,
): Promise<TreeRemoval> {
  const removal = await trees.remove(directory);
  if (removal.problem !== undefined)
    log("WARN", "A directory cannot be removed completely.", { directory, reason: removal.problem });
  return removal;
}
