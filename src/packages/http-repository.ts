import { createHash } from "node:crypto";
import type { Host } from "../host/host.ts";
import type { Transfer } from "../host/progress.ts";
import type { HttpResponse } from "../net/http-connections.ts";
import { PermanentError } from "./http-exchange.ts";
import type { Repository } from "./repository.ts";
import { FileFailure, type RemoteRepository, RepositoryServer, type ServerContext } from "./repository-server.ts";

interface RepositoryContext extends ServerContext {
  /** Shows the progress of a download. */
  readonly show: (what: string) => Transfer;
}

const maxBytesInMemory = 16 * 1024 * 1024;
/** Larger than any published jar: a body without end must not fill the disk. */
const maxFileBytes = 16 * 1024 ** 3;
const checksums = ["sha1", "md5"] as const;

/** Opens a repository on a server. Compares each file with its published checksum, if there is one. */
export function httpRepository(host: Host, remote: RemoteRepository, context: RepositoryContext): Repository {
  const server = new RepositoryServer(host, remote, context);
  const knownFiles = new Map<string, boolean>();
  return {
    name: remote.name,
    read: (path) => server.attempt<Uint8Array | undefined>(undefined, () => readChecked(server, path)),
    async has(path) {
      const known = knownFiles.get(path);
      if (known !== undefined) return known;
      const response = await server.attempt<HttpResponse | undefined>(undefined, () => server.send("HEAD", path));
      response?.close();
      knownFiles.set(path, response !== undefined);
      return response !== undefined;
    },
    download: (path, into) =>
      server.attempt(false, async () => {
        const response = await server.send("GET", path);
        if (response === undefined) return false;
        const transfer = context.show(path.slice(path.lastIndexOf("/") + 1));
        try {
          const checksum = await checksumOf(server, path);
          const algorithm = checksum?.algorithm ?? "sha1";
          check(path, checksum, await save(host, { response, into, algorithm, transfer }));
        } finally {
          transfer.end();
        }
        return true;
      }),
    list: async () => [],
  };
}

async function readOnce(server: RepositoryServer, path: string): Promise<Uint8Array | undefined> {
  const response = await server.send("GET", path);
  return response === undefined ? undefined : await bytesOf(response);
}

async function readChecked(server: RepositoryServer, path: string): Promise<Uint8Array | undefined> {
  const [bytes, checksum] = await Promise.all([readOnce(server, path), checksumOf(server, path)]);
  if (bytes !== undefined && checksum !== undefined)
    check(path, checksum, createHash(checksum.algorithm).update(bytes).digest("hex"));
  return bytes;
}

/** Expected checksum, in hex. */
interface Checksum {
  readonly algorithm: (typeof checksums)[number];
  readonly digest: string;
}

async function checksumOf(server: RepositoryServer, path: string): Promise<Checksum | undefined> {
  for (const algorithm of checksums) {
    const bytes = await readOnce(server, `${path}.${algorithm}`);
    const digest = bytes && /^\s*([0-9a-f]{32,40})\b/i.exec(Buffer.from(bytes).toString("latin1"))?.[1];
    if (digest !== undefined) return { algorithm, digest: digest.toLowerCase() };
  }
  return undefined;
}

function check(path: string, checksum: Checksum | undefined, digest: string): void {
  if (checksum !== undefined && digest !== checksum.digest)
    throw new Error(`${path} does not match its published ${checksum.algorithm}`);
}

async function bytesOf(response: HttpResponse): Promise<Uint8Array> {
  const { readBytes, TooLargeError } = await import("../net/http-connections.ts");
  try {
    return await readBytes(response, maxBytesInMemory);
  } catch (error) {
    if (error instanceof TooLargeError) throw new PermanentError("the file is larger than 16 MiB, too large for a POM");
    throw error;
  }
}

interface Save {
  readonly response: HttpResponse;
  readonly into: string;
  readonly algorithm: "sha1" | "md5";
  readonly transfer: Transfer;
}

/** Rejects a file that is too large, before its body is saved if the server states the length. */
function sizeCheck({ files }: Host, into: string): (sizeBytes: number) => void {
  const availableBytes = files.freeBytes(into);
  const name = into.slice(into.lastIndexOf("/") + 1);
  return (sizeBytes) => {
    if (sizeBytes > maxFileBytes) throw new PermanentError(`${name} is larger than 16 GiB`);
    if (sizeBytes <= availableBytes) return;
    const reason = `${into} needs ${sizeBytes} bytes or more, and its file system has ${availableBytes} free`;
    throw new FileFailure("not saved", { cause: new Error(reason) });
  };
}

/** Saves a response body. Returns its digest. */
async function save(host: Host, { response, into, algorithm, transfer }: Save): Promise<string> {
  const length = Number(response.headers["content-length"] ?? Number.NaN);
  const hash = createHash(algorithm);
  let sizeBytes = 0;
  const put = (chunk: Uint8Array) => {
    try {
      host.files.append(into, chunk);
    } catch (cause) {
      throw new FileFailure("not saved", { cause });
    }
  };
  host.files.write(into, "");
  const checkSize = sizeCheck(host, into);
  try {
    if (!Number.isNaN(length)) checkSize(length);
  } catch (error) {
    response.close();
    throw error;
  }
  for await (const chunk of response.body) {
    sizeBytes += chunk.length;
    checkSize(sizeBytes);
    put(chunk);
    hash.update(chunk);
    transfer.update(sizeBytes, Number.isNaN(length) ? undefined : length);
  }
  if (!Number.isNaN(length) && sizeBytes !== length)
    throw new Error(`${into.slice(into.lastIndexOf("/") + 1)} ended after ${sizeBytes} of ${length} bytes`);
  return hash.digest("hex");
}
