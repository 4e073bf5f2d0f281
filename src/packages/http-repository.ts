import { createHash } from "node:crypto";
import { messageOf } from "../errors/message-of.ts";
import { submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import type { HttpAnswer } from "../host/http-exchange.ts";
import type { Transfer } from "../host/progress.ts";
import { type FileServers, patiently, Refusal } from "./http-exchange.ts";
import type { Repository } from "./repository.ts";

/** A repository on a server. */
export interface RemoteRepository {
  readonly name: string;
  /** Without credentials. */
  readonly url: string;
  /** The value of the header `Authorization`. */
  readonly authorization?: string | undefined;
}

interface Surroundings {
  readonly servers: FileServers;
  /** Told once of a repository that is left out because nobody is there, or it refuses us. */
  readonly warn: (text: string) => void;
  /** Shows how a large file comes. */
  readonly show: (what: string) => Transfer;
}

const mostBytesInMemory = 64 * 1024 * 1024;
const checksums = ["sha1", "md5"] as const;

/** A repository on a server. What comes is compared with the checksum that lies beside it, where there is one. */
export function httpRepository(
  host: Host,
  { name, url, authorization }: RemoteRepository,
  { servers, show, warn }: Surroundings,
): Repository {
  const base = url.replace(/\/*$/, "/");
  const headers = authorization === undefined ? {} : { authorization };
  const told = new Map<string, boolean>();

  const ask = async (method: "GET" | "HEAD", path: string): Promise<HttpAnswer | undefined> => {
    const answer = await servers.ask({ method, url: `${base}${encodePath(path)}`, headers });
    const { status } = answer;
    if (status !== 200) answer.close();
    if (isPassing(status)) throw new Unable(`${base} answered ${status}`);
    state = "there";
    if (status === 200) return answer;
    if (status < 400) throw new Refusal(`${base} answered ${status}`);
    if (status !== 404 && status !== 410) refused(status);
    return undefined;
  };
  const readOnce = async (path: string) => {
    const answer = await ask("GET", path);
    return answer === undefined ? undefined : await bytesOf(answer);
  };
  let state: "unknown" | "there" | "leftOut" = "unknown";
  const leaveOut = (reason: string) => {
    if (state !== "leftOut") warn(`The repository ${name} (${base}) is left out: ${reason}.`);
    state = "leftOut";
  };
  let isRefusalTold = false;
  // Some say so of what is not there.
  const refused = (status: number) => {
    if (!isRefusalTold)
      warn(
        `The repository ${name} (${base}) refuses what it is asked for (${status}), which is looked for elsewhere; its credentials would be those of the server ${name} in Maven's settings.xml.`,
      );
    isRefusalTold = true;
  };
  /** What a repository that is not there would say: nothing is there. */
  const tell = async <T>(nothing: T, attempt: () => Promise<T>): Promise<T> => {
    if (state === "leftOut") return nothing;
    const attemptOnce = async () => {
      try {
        return await attempt();
      } catch (error) {
        throw state !== "there" && isNobodyThere(error) ? new Nobody(messageOf(error)) : error;
      }
    };
    try {
      const result = await patiently(host, attemptOnce);
      state = "there";
      return result;
    } catch (error) {
      if (error instanceof FileFailure) throw error.cause;
      if (error instanceof Nobody || (error instanceof Unable && state !== "there")) {
        leaveOut(error.message);
        return nothing;
      }
      throw submitError(
        "SUBMIT_ERR_PACKAGE_REPOSITORY",
        { name, url: base, reason: messageOf(error) },
        { cause: error },
      );
    }
  };
  const checksumOf = async (path: string) => {
    for (const algorithm of checksums) {
      const bytes = await readOnce(`${path}.${algorithm}`);
      const digest = bytes && /^\s*([0-9a-f]{32,40})\b/i.exec(Buffer.from(bytes).toString("latin1"))?.[1];
      if (digest !== undefined) return { algorithm, digest: digest.toLowerCase() };
    }
    return undefined;
  };

  return {
    name,
    read: (path) =>
      tell<Uint8Array | undefined>(undefined, async () => {
        const [bytes, checksum] = await Promise.all([readOnce(path), checksumOf(path)]);
        if (bytes === undefined || checksum === undefined) return bytes;
        const digest = createHash(checksum.algorithm).update(bytes).digest("hex");
        if (digest !== checksum.digest) throw mismatch(path, checksum.algorithm);
        return bytes;
      }),
    async has(path) {
      const known = told.get(path);
      if (known !== undefined) return known;
      const answer = await tell<HttpAnswer | undefined>(undefined, () => ask("HEAD", path));
      answer?.close();
      told.set(path, answer !== undefined);
      return answer !== undefined;
    },
    download: (path, into) =>
      tell(false, async () => {
        const answer = await ask("GET", path);
        if (answer === undefined) return false;
        const transfer = show(path.slice(path.lastIndexOf("/") + 1));
        try {
          const checksum = await checksumOf(path);
          const digest = await save(host, {
            answer,
            into,
            algorithm: checksum?.algorithm ?? "sha1",
            transfer,
          });
          if (checksum !== undefined && digest !== checksum.digest) throw mismatch(path, checksum.algorithm);
        } finally {
          transfer.end();
        }
        return true;
      }),
    list: async () => [],
  };
}

/** This machine does not take what came; `cause` tells why. */
class FileFailure extends Refusal {}

/** A server has a trouble that may pass. One that had nothing else to say is as good as none. */
class Unable extends Error {}

/** Nobody answers under a name that was never heard of, or at an address where nobody listens, or the proxy does not lead there. */
class Nobody extends Refusal {}

function isNobodyThere(error: unknown): boolean {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  const codes: readonly unknown[] = ["ENOTFOUND", "ECONNREFUSED", "EHOSTUNREACH", "EAI_AGAIN", "EPROXY"];
  return codes.includes(code);
}

function mismatch(path: string, algorithm: string): Error {
  return new Error(`${path} has not the ${algorithm} that lies beside it`);
}

function isPassing(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/").replaceAll("%2B", "+");
}

async function bytesOf({ body }: HttpAnswer): Promise<Uint8Array> {
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
  readonly answer: HttpAnswer;
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
