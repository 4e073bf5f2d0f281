import { absolutePath } from "../../host/absolute-path.ts";
import { fileChunks } from "../../host/file-chunks.ts";
import type { Host } from "../../host/host.ts";
import type { StoredFile } from "../../masters/kubernetes/stage/uploads/upload-target.ts";
import {
  type UploadOwner,
  type UploadTargets,
  uploadTargets,
} from "../../masters/kubernetes/stage/uploads/upload-targets.ts";
import type { ArchiveLocation } from "../../values/archive-location.ts";

/** Location of logs: a directory of this machine, or of a bucket or a Hadoop file system. */
export type LogLocation = Exclude<ArchiveLocation, { kind: "claim" }>;

/** Name of a stored file in the directory of its application. */
export interface LogFileId {
  readonly directory: string;
  readonly name: string;
}

/** Files of applications, each application with a directory of its own. Every method throws an Error with the reason. */
export interface LogStore {
  /** Directory of this machine for files that are not complete. */
  readonly draftDirectory: string;
  /** Moves a file of this machine into the store, and replaces one of the same name. */
  readonly put: (id: LogFileId, path: string, signal: AbortSignal) => Promise<void>;
  /** Opens a file; `undefined` if it does not exist. Close it. */
  readonly open: (id: LogFileId) => Promise<StoredFile | undefined>;
  /** Removes a directory with its files. Does nothing if it does not exist. */
  readonly remove: (directory: string) => Promise<void>;
  readonly close: () => void;
}

/** Opens a store. Contacts no server yet. */
export function logStore(host: Host, location: LogLocation, owner: UploadOwner): LogStore {
  return location.kind === "directory"
    ? directoryStore(host, absolutePath(host, location.path).replace(/\/+$/, ""))
    : remoteStore(host, location, owner);
}

/** The log of a driver is for its users and the gateway, not for other users of the machine. */
const privateDirectory = 0o700;

function directoryStore({ files }: Host, root: string): LogStore {
  return {
    draftDirectory: `${root}/.incomplete`,
    async put({ directory, name }, path) {
      files.makeDirectory(`${root}/${directory}`, { mode: privateDirectory });
      files.rename(path, `${root}/${directory}/${name}`);
    },
    async open({ directory, name }) {
      const path = `${root}/${directory}/${name}`;
      const size = files.info(path)?.sizeBytes;
      return size === undefined ? undefined : { body: fileChunks(files, { path, offset: 0, size }), close() {} };
    },
    remove: async (directory) => files.remove(`${root}/${directory}`),
    close() {},
  };
}

function remoteStore(
  host: Host,
  { scheme, uri }: Extract<LogLocation, { kind: "store" }>,
  owner: UploadOwner,
): LogStore {
  const shared = uploadTargets(host, owner);
  // The tickets of Kerberos expire, so a file system of Hadoop is opened for each use.
  const open = (): UploadTargets => (scheme === "s3a" ? shared : uploadTargets(host, owner));
  const close = (targets: UploadTargets) => {
    if (targets !== shared) targets.close();
  };
  const use = async <T>(action: (targets: UploadTargets) => Promise<T>): Promise<T> => {
    const targets = open();
    try {
      return await action(targets);
    } finally {
      close(targets);
    }
  };
  return {
    draftDirectory: `${host.files.temporaryRoot}/firesteel-gateway-logs-${host.pid}`,
    async put({ directory: below, name }, path, signal) {
      const directory = `${uri}/${below}`;
      const sizeBytes = host.files.info(path)?.sizeBytes ?? 0;
      await use(async (targets) => {
        const target = await targets.of(uri);
        await target.upload({ scheme, directory, path, sizeBytes, name }, { signal, onProgress: () => {} });
      });
      host.files.remove(path);
    },
    async open({ directory, name }) {
      const targets = open();
      try {
        const file = await (await targets.of(uri)).open(`${uri}/${directory}`, name);
        if (file === undefined) {
          close(targets);
          return undefined;
        }
        return {
          body: file.body,
          close() {
            file.close();
            close(targets);
          },
        };
      } catch (error) {
        close(targets);
        throw error;
      }
    },
    remove: (directory) => use(async (targets) => (await targets.of(uri)).remove(`${uri}/${directory}`)),
    close: shared.close,
  };
}
