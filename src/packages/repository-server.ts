import { messageOf } from "../errors/message-of.ts";
import { submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { failureReason } from "../net/failure-reason.ts";
import type { HttpResponse } from "../net/http-connections.ts";
import { type FileServers, PermanentError, retryExchange } from "./http-exchange.ts";

/** A repository on a server. */
export interface RemoteRepository {
  readonly name: string;
  /** Without credentials. */
  readonly url: string;
  /** The value of the header `Authorization`. */
  readonly authorization?: string | undefined;
}

/** Connections and warnings of a repository's server. */
export interface ServerContext {
  readonly servers: FileServers;
  /** Called once for an unreachable repository, and once for one that rejects requests. */
  readonly warn: (text: string) => void;
}

/** The server of a repository. Requests are retried; a server that cannot be reached is skipped. */
export class RepositoryServer {
  private readonly host: Host;
  private readonly name: string;
  private readonly base: string;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly context: ServerContext;
  private state: "unknown" | "reached" | "skipped" = "unknown";
  private isRejectionReported = false;

  constructor(host: Host, { name, url, authorization }: RemoteRepository, context: ServerContext) {
    this.host = host;
    this.name = name;
    this.base = url.replace(/\/*$/, "/");
    this.headers = authorization === undefined ? {} : { authorization };
    this.context = context;
  }

  /** Sends one request. Returns `undefined` for a missing file, and for a rejected request: some servers reject requests for missing files. */
  async send(method: "GET" | "HEAD", path: string): Promise<HttpResponse | undefined> {
    const { base, headers } = this;
    const response = await this.context.servers.send({
      method,
      url: `${base}${encodePath(path)}`,
      headers,
    });
    const { status } = response;
    if (status !== 200) response.close();
    if (isTransient(status)) throw new ServerUnavailable(`${base} responded with ${status}`);
    this.state = "reached";
    if (status === 200) return response;
    if (status < 400) throw new PermanentError(`${base} responded with ${status}`);
    if (status !== 404 && status !== 410) this.warnRejection(status);
    return undefined;
  }

  /**
   * Runs an attempt until it succeeds.
   *
   * @param absent the result if the repository is skipped
   * @throws SubmitError `SUBMIT_ERR_PACKAGE_REPOSITORY`, or the file system's error if a file cannot be saved
   */
  async attempt<T>(absent: T, attempt: () => Promise<T>): Promise<T> {
    if (this.state === "skipped") return absent;
    try {
      return await retryExchange(this.host, async () => {
        try {
          return await attempt();
        } catch (error) {
          throw this.state !== "reached" && isUnreachable(error) ? new HostUnreachable(messageOf(error)) : error;
        }
      });
    } catch (error) {
      if (error instanceof FileFailure) throw error.cause;
      if (error instanceof HostUnreachable || (error instanceof ServerUnavailable && this.state !== "reached")) {
        this.skip(error.message);
        return absent;
      }
      const problem = { name: this.name, url: this.base, ...failureReason(error) };
      throw submitError("SUBMIT_ERR_PACKAGE_REPOSITORY", problem, { cause: error });
    }
  }

  private skip(reason: string): void {
    if (this.state !== "skipped") this.context.warn(`Skipping repository ${this.name} (${this.base}): ${reason}.`);
    this.state = "skipped";
  }

  private warnRejection(status: number): void {
    if (!this.isRejectionReported)
      this.context.warn(
        `The repository ${this.name} (${this.base}) rejects requests (${status}), so other repositories are searched. If it requires credentials, add them as server ${this.name} to Maven's settings.xml.`,
      );
    this.isRejectionReported = true;
  }
}

/** Failure to store a file on this machine. `cause` has the reason. */
export class FileFailure extends PermanentError {}

/** Transient failure of a server. A server that never responded otherwise is skipped. */
class ServerUnavailable extends Error {}

/** Failure to reach a server: unknown host name, closed port, or a proxy without access. */
class HostUnreachable extends PermanentError {}

function isUnreachable(error: unknown): boolean {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  const codes: readonly unknown[] = ["ENOTFOUND", "ECONNREFUSED", "EHOSTUNREACH", "EAI_AGAIN", "EPROXY"];
  return codes.includes(code);
}

function isTransient(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/").replaceAll("%2B", "+");
}
