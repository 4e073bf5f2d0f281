import type { Files } from "../../host/host.ts";
import { isWithin } from "../../values/is-within.ts";
import type { ExecutorShuffleInfo } from "../protocol/transfer-messages.ts";
import { notRegistered, RequestFailure } from "../request-failure.ts";
import { resolveLocalDirs } from "./local-dirs.ts";

/** A registered executor. */
export interface RegisteredExecutor extends ExecutorShuffleInfo {
  /** Canonical paths of the local directories. */
  readonly realDirs: readonly string[];
}

/** An application with its registered executors. */
export interface RegisteredApplication {
  readonly executors: Map<string, RegisteredExecutor>;
  /** Ms since 1970. */
  readonly firstSeenMs: number;
  lastSeenMs: number;
  /** Whether its driver pod has been seen. */
  hadDriver: boolean;
}

/** Identity of an executor. */
export interface ExecutorKey {
  readonly appId: string;
  readonly execId: string;
}

/** Table of the registered executors. */
export interface Registrations {
  readonly applications: ReadonlyMap<string, RegisteredApplication>;
  /** Number of registered executors. */
  readonly size: () => number;
  /** @throws RequestFailure if the executor is not registered */
  readonly find: (appId: string, execId: string) => RegisteredExecutor;
  /** Adds or replaces an executor. @throws RequestFailure if its directories are not allowed */
  readonly register: (key: ExecutorKey, info: ExecutorShuffleInfo, nowMs: number) => void;
  readonly removeApplication: (appId: string) => void;
}

const maxKeyLength = 1024;
const maxExecutors = 200_000;

/** Creates an empty table. Directories must be below the roots. */
export function registrations(files: Pick<Files, "realPath">, roots: readonly string[]): Registrations {
  const applications = new Map<string, RegisteredApplication>();
  /** Owner of each registered directory. */
  const owners = new Map<string, string>();
  let executors = 0;
  return {
    applications,
    size: () => executors,
    find(appId, execId) {
      const found = applications.get(appId)?.executors.get(execId);
      if (found === undefined) throw notRegistered(appId, execId);
      return found;
    },
    register({ appId, execId }, info, nowMs) {
      if (appId.length > maxKeyLength || execId.length > maxKeyLength) {
        throw new RequestFailure("illegalArgument", "The application ID or the executor ID is too long");
      }
      const realDirs = resolveLocalDirs(files, info, roots);
      rejectConflicts(owners, appId, realDirs);
      const application = applications.get(appId) ?? {
        executors: new Map(),
        firstSeenMs: nowMs,
        lastSeenMs: nowMs,
        hadDriver: false,
      };
      const isNew = !application.executors.has(execId);
      if (isNew && executors >= maxExecutors)
        throw new RequestFailure("illegalState", "Too many executors are registered");
      application.executors.set(execId, { ...info, realDirs });
      application.lastSeenMs = nowMs;
      applications.set(appId, application);
      if (isNew) executors += 1;
      for (const directory of realDirs) owners.set(directory, appId);
    },
    removeApplication(appId) {
      executors -= applications.get(appId)?.executors.size ?? 0;
      applications.delete(appId);
      for (const [directory, owner] of owners) if (owner === appId) owners.delete(directory);
    },
  };
}

/**
 * Rejects directories of another application, their parents and what is below them: the first registration wins.
 *
 * @throws RequestFailure
 */
function rejectConflicts(owners: ReadonlyMap<string, string>, appId: string, realDirs: readonly string[]): void {
  for (const directory of realDirs) {
    const known = owners.get(directory);
    if (known === appId) continue;
    for (const [other, owner] of known === undefined ? owners : [[directory, known] as const]) {
      if (owner === appId || !(isWithin(directory, other) || isWithin(other, directory))) continue;
      throw new RequestFailure("illegalArgument", `localDirs entry belongs to another application: ${directory}`);
    }
  }
}
