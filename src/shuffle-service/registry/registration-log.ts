import * as v from "valibot";
import { messageOf } from "../../errors/message-of.ts";
import type { ContentFiles } from "../../host/content-files.ts";
import type { AppendFile, Host } from "../../host/host.ts";
import type { ServerLog } from "../../http/server-log.ts";
import type { ExecutorShuffleInfo } from "../protocol/transfer-messages.ts";
import { RequestFailure } from "../request-failure.ts";
import type { ExecutorKey, Registrations } from "./registrations.ts";

/** Record of the registrations that survives a restart. */
export interface RegistrationLog {
  /** Resolves when the registration is on disk. Rejects with Node's error, e.g. ENOSPC. */
  readonly register: (key: ExecutorKey, info: ExecutorShuffleInfo, timeMs: number) => Promise<void>;
  /** Stores that the driver pod of an application has been seen. */
  readonly setHadDriver: (appId: string) => Promise<void>;
  readonly removeApplication: (appId: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** A line of the file, without secrets. */
const lineSchema = v.variant("kind", [
  v.object({
    kind: v.literal("register"),
    timeMs: v.number(),
    appId: v.string(),
    execId: v.string(),
    localDirs: v.array(v.string()),
    subDirsPerLocalDir: v.number(),
    shuffleManager: v.string(),
  }),
  v.object({ kind: v.literal("hadDriver"), appId: v.string() }),
  v.object({ kind: v.literal("removeApplication"), appId: v.string() }),
]);

type Line = v.InferInput<typeof lineSchema>;

const minCompactionBytes = 1024 * 1024;

/** Dependencies of the log. */
interface LogContext {
  readonly host: Pick<Host, "files">;
  readonly files: ContentFiles;
  /** Directory, which exists. */
  readonly directory: string;
  readonly registrations: Registrations;
  readonly log: ServerLog;
}

/**
 * Opens the log of a state directory, and registers what it contains.
 *
 * The file has one line of JSON for each registration and removal. A line that was not written completely is dropped.
 */
export async function openRegistrationLog(context: LogContext): Promise<RegistrationLog> {
  const { host, files, directory, registrations, log } = context;
  const path = `${directory}/registrations.jsonl`;
  const recovered = replay(context, host.files.readText(path) ?? "");
  if (recovered > 0) log("INFO", "Registrations were recovered.", { executors: registrations.size() });
  const state = { liveBytes: await compact(), file: await host.files.openAppend(path) };
  /** All writes, in order. */
  let writes: Promise<void> = Promise.resolve();

  async function compact(): Promise<number> {
    const text = printAll(registrations);
    await files.replace(path, text);
    return Buffer.byteLength(text);
  }

  function write(line: Line): Promise<void> {
    const done = writes.then(async () => {
      await appendLine(state.file, line);
      if (state.file.sizeBytes() < Math.max(minCompactionBytes, 2 * state.liveBytes)) return;
      state.file.close();
      state.liveBytes = await compact();
      state.file = await host.files.openAppend(path);
    });
    writes = done.catch(() => {});
    return done;
  }

  return {
    register: (key, info, timeMs) => write({ kind: "register", timeMs, ...key, ...infoOf(info) }),
    setHadDriver: (appId) => write({ kind: "hadDriver", appId }),
    removeApplication: (appId) => write({ kind: "removeApplication", appId }),
    async close() {
      await writes;
      state.file.close();
    },
  };
}

/** Appends a line and waits until it is on disk. After an error, the file has no part of it. */
async function appendLine(file: AppendFile, line: Line): Promise<void> {
  const before = file.sizeBytes();
  try {
    file.append(`${JSON.stringify(line)}\n`);
  } catch (error) {
    file.truncate(before);
    throw error;
  }
  await file.syncLater();
}

function infoOf({ localDirs, subDirsPerLocalDir, shuffleManager }: ExecutorShuffleInfo) {
  return { localDirs: [...localDirs], subDirsPerLocalDir, shuffleManager };
}

function printAll({ applications }: Registrations): string {
  const lines = [...applications].flatMap(
    ([appId, { executors, firstSeenMs, lastSeenMs, hadDriver }]): readonly Line[] => [
      ...[...executors].map(([execId, info], index) => ({
        ...{ kind: "register" as const, timeMs: index === 0 ? firstSeenMs : lastSeenMs, appId, execId },
        ...infoOf(info),
      })),
      ...(hadDriver ? [{ kind: "hadDriver" as const, appId }] : []),
    ],
  );
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Applies the lines of a file. Returns the number of registrations. */
function replay({ host, registrations, log }: LogContext, text: string): number {
  // What follows the last line end was not written completely.
  const lines = text.split("\n").slice(0, -1);
  for (const line of lines) {
    const found = parseLine(line);
    if (found === undefined) log("WARN", "A line of the registrations is damaged, so it is dropped.");
    else if (found.kind === "removeApplication") registrations.removeApplication(found.appId);
    else if (found.kind === "hadDriver") setHadDriver(registrations, found.appId);
    // The node has been cleaned meanwhile.
    else if (found.localDirs.some((directory) => host.files.info(directory) !== undefined)) {
      restore(registrations, found, log);
    }
  }
  return registrations.size();
}

function setHadDriver({ applications }: Registrations, appId: string): void {
  const application = applications.get(appId);
  if (application !== undefined) application.hadDriver = true;
}

function restore(registrations: Registrations, line: Extract<Line, { kind: "register" }>, log: ServerLog): void {
  try {
    registrations.register(line, infoOf(line), line.timeMs);
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error;
    const { appId, execId } = line;
    log("WARN", "A registration is not allowed any more, so it is dropped.", {
      appId,
      execId,
      reason: messageOf(error),
    });
  }
}

function parseLine(text: string): Line | undefined {
  try {
    return v.parse(lineSchema, JSON.parse(text));
  } catch {
    return undefined;
  }
}
