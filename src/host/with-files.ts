import type { Files, Host } from "./host.ts";
import { overrideHost } from "./override-host.ts";

/** Returns the host with further files, by absolute path, which exist in memory only. */
export function withFiles(host: Host, contents: ReadonlyMap<string, string>): Host {
  if (contents.size === 0) return host;
  const files: Files = {
    ...host.files,
    readText: (path) => contents.get(path) ?? host.files.readText(path),
    readBytes: (path) => {
      const text = contents.get(path);
      return text === undefined ? host.files.readBytes(path) : Buffer.from(text);
    },
    info: (path, options) => {
      const text = contents.get(path);
      if (text === undefined) return host.files.info(path, options);
      return { kind: "file", sizeBytes: Buffer.byteLength(text), mode: 0o600, modifiedMs: 0, inode: 0, uid: 0, gid: 0 };
    },
  };
  return overrideHost(host, { files });
}
