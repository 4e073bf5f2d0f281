import { createHash } from "node:crypto";
import type { Host } from "../host/host.ts";
import type { HttpResponse } from "../host/http-exchange.ts";
import type { Transfer } from "../host/progress.ts";
import { Refusal } from "./http-exchange.ts";
import type { Repository } from "./repository.ts";
import {
  FileFailure,
  type RemoteRepository,
  RepositoryServer,
  type ServerSurroundings,
} from "./repository-server.ts";

interface Surroundings extends ServerSurroundings {
  /** Shows how a large file comes. */
  readonly show: (what: string) => Transfer;
}

const mostBytesInMemory = 64 * 1024 * 1024;
const checksums = ["sha1", "md5"] as const;

/** A repository on a server. What comes is compared with the checksum that lies beside it, where there is one. */
export function httpRepository(host: Host, remote: RemoteRepository, surroundings: Surroundings): Repository {
  const server = new RepositoryServer(host, remote, surroundings);
  const told = new Map<string, boolean>();
  return {
    name: remote.name,
    read: (path) => server.attempt<Uint8Array | undefined>(undefined, () => readChecked(server, path)),
    async has(path) {
      const known = told.get(path);
      if (known !== undefined) return known;
      const answer = await server.attempt<HttpResponse | undefined>(undefined, () =>
        server.ask("HEAD", path),
      );
      answer?.close();
      told.set(path, answer !== undefined);
      return answer !== undefined;
    },
    download: (path, into) =>
      server.attempt(false, async () => {
        const answer = await server.ask("GET", path);
        if (answer === undefined) return false;
        const transfer = surroundings.show(path.slice(path.lastIndexOf("/") + 1));
        try {
          const checksum = await checksumOf(server, path);
          const algorithm = checksum?.algorithm ?? "sha1";
          check(path, checksum, await save(host, { answer, into, algorithm, transfer }));
        } finally {
          transfer.end();
        }
        return true;
      }),
    list: async () => [],
  };
}

async function readOnce(server: RepositoryServer, path: string): Promise<Uint8Array | undefined> {
  const answer = await server.ask("GET", path);
  return answer === undefined ? undefined : await bytesOf(answer);
}

async function readChecked(server: RepositoryServer, path: string): Promise<Uint8Array | undefined> {
  const [bytes, checksum] = await Promise.all([readOnce(server, path), checksumOf(server, path)]);
  if (bytes !== undefined && checksum !== undefined)
    check(path, checksum, createHash(checksum.algorithm).update(bytes).digest("hex"));
  return bytes;
}

/** What should come, in hex. */
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
    throw new Error(`${path} has not the ${checksum.algorithm} that lies beside it`);
}

async function bytesOf({ body }: HttpResponse): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > mostBytesInMemory) throw new Refusal("a POM of more than 64 MiB is none");
  }
  return Buffer.concat(chunks);
}

interface Save {
  readonly answer: HttpResponse;
  readonly into: string;
  readonly algorithm: "sha1" | "md5";
  readonly transfer: Transfer;
}

/** Gives the digest of what was saved. */
async function save(host: Host, { answer, into, algorithm, transfer }: Save): Promise<string> {
  const length = Number(answer.headers["content-length"] ?? Number.NaN);
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
  for await (const chunk of answer.body) {
    put(chunk);
    hash.update(chunk);
    sizeBytes += chunk.length;
    transfer.update(sizeBytes, Number.isNaN(length) ? undefined : length);
  }
  if (!Number.isNaN(length) && sizeBytes !== length)
    throw new Error(
      `${into.slice(into.lastIndexOf("/") + 1)} broke off after ${sizeBytes} of ${length} bytes`,
    );
  return hash.digest("hex");
}
