import { messageOf } from "../errors/message-of.ts";
import { submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
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

/** The server of a repository: requested with retries, and left out where there is none. */
export class RepositoryServer {
  private readonly host: Host;
  private readonly name: string;
  private readonly base: string;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly context: ServerContext;
  private state: "unknown" | "there" | "leftOut" = "unknown";
  private isRejectionReported = false;

  constructor(host: Host, { name, url, authorization }: RemoteRepository, context: ServerContext) {
    this.host = host;
    this.name = name;
    this.base = url.replace(/\/*$/, "/");
    this.headers = authorization === undefined ? {} : { authorization };
    this.context = context;
  }

  /** Asks once; `undefined` where nothing is there. What the server refuses is taken for that: some refuse what they do not have. */
  async ask(method: "GET" | "HEAD", path: string): Promise<HttpResponse | undefined> {
    const { base, headers } = this;
    const response = await this.context.servers.ask({
      method,
      url: `${base}${encodePath(path)}`,
      headers,
    });
    const { status } = response;
    if (status !== 200) response.close();
    if (isTransient(status)) throw new ServerUnavailable(`${base} answered ${status}`);
    this.state = "there";
    if (status === 200) return response;
    if (status < 400) throw new PermanentError(`${base} answered ${status}`);
    if (status !== 404 && status !== 410) this.warnRejection(status);
    return undefined;
  }

  /**
   * Attempts what asks the server until it succeeds.
   *
   * @param nothing what a repository says that is left out
   * @throws SubmitError `SUBMIT_ERR_PACKAGE_REPOSITORY`, and what the file system says of a file that cannot be saved
   */
  async attempt<T>(nothing: T, attempt: () => Promise<T>): Promise<T> {
    if (this.state === "leftOut") return nothing;
    try {
      return await retryExchange(this.host, async () => {
        try {
          return await attempt();
        } catch (error) {
          throw this.state !== "there" && isUnreachable(error) ? new HostUnreachable(messageOf(error)) : error;
        }
      });
    } catch (error) {
      if (error instanceof FileFailure) throw error.cause;
      if (error instanceof HostUnreachable || (error instanceof ServerUnavailable && this.state !== "there")) {
        this.leaveOut(error.message);
        return nothing;
      }
      const problem = { name: this.name, url: this.base, reason: messageOf(error) };
      throw submitError("SUBMIT_ERR_PACKAGE_REPOSITORY", problem, { cause: error });
    }
  }

  private leaveOut(reason: string): void {
    if (this.state !== "leftOut")
      this.context.warn(`The repository ${this.name} (${this.base}) is left out: ${reason}.`);
    this.state = "leftOut";
  }

  private warnRejection(status: number): void {
    if (!this.isRejectionReported)
      this.context.warn(
        `The repository ${this.name} (${this.base}) refuses what it is asked for (${status}), which is looked for elsewhere; its credentials would be those of the server ${this.name} in Maven's settings.xml.`,
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
