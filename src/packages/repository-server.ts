import { messageOf } from "../errors/message-of.ts";
import { submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import type { HttpResponse } from "../host/http-exchange.ts";
import { type FileServers, patiently, Refusal } from "./http-exchange.ts";

/** A repository on a server. */
export interface RemoteRepository {
  readonly name: string;
  /** Without credentials. */
  readonly url: string;
  /** The value of the header `Authorization`. */
  readonly authorization?: string | undefined;
}

/** How the server of a repository is reached, and who is told of it. */
export interface ServerSurroundings {
  readonly servers: FileServers;
  /** Told once of a repository that is left out because nobody is there, and once of one that refuses us. */
  readonly warn: (text: string) => void;
}

/** The server of a repository: asked patiently, and left out where there is none. */
export class RepositoryServer {
  private readonly host: Host;
  private readonly name: string;
  private readonly base: string;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly surroundings: ServerSurroundings;
  private state: "unknown" | "there" | "leftOut" = "unknown";
  private isRefusalTold = false;

  constructor(host: Host, { name, url, authorization }: RemoteRepository, surroundings: ServerSurroundings) {
    this.host = host;
    this.name = name;
    this.base = url.replace(/\/*$/, "/");
    this.headers = authorization === undefined ? {} : { authorization };
    this.surroundings = surroundings;
  }

  /** Asks once; `undefined` where nothing is there. What the server refuses is taken for that: some refuse what they do not have. */
  async ask(method: "GET" | "HEAD", path: string): Promise<HttpResponse | undefined> {
    const { base, headers } = this;
    const answer = await this.surroundings.servers.ask({
      method,
      url: `${base}${encodePath(path)}`,
      headers,
    });
    const { status } = answer;
    if (status !== 200) answer.close();
    if (isTransient(status)) throw new Unable(`${base} answered ${status}`);
    this.state = "there";
    if (status === 200) return answer;
    if (status < 400) throw new Refusal(`${base} answered ${status}`);
    if (status !== 404 && status !== 410) this.tellRefusal(status);
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
      return await patiently(this.host, async () => {
        try {
          return await attempt();
        } catch (error) {
          throw this.state !== "there" && isNobodyThere(error) ? new Nobody(messageOf(error)) : error;
        }
      });
    } catch (error) {
      if (error instanceof FileFailure) throw error.cause;
      if (error instanceof Nobody || (error instanceof Unable && this.state !== "there")) {
        this.leaveOut(error.message);
        return nothing;
      }
      const problem = { name: this.name, url: this.base, reason: messageOf(error) };
      throw submitError("SUBMIT_ERR_PACKAGE_REPOSITORY", problem, { cause: error });
    }
  }

  private leaveOut(reason: string): void {
    if (this.state !== "leftOut")
      this.surroundings.warn(`The repository ${this.name} (${this.base}) is left out: ${reason}.`);
    this.state = "leftOut";
  }

  private tellRefusal(status: number): void {
    if (!this.isRefusalTold)
      this.surroundings.warn(
        `The repository ${this.name} (${this.base}) refuses what it is asked for (${status}), which is looked for elsewhere; its credentials would be those of the server ${this.name} in Maven's settings.xml.`,
      );
    this.isRefusalTold = true;
  }
}

/** This machine does not take what came; `cause` tells why. */
export class FileFailure extends Refusal {}

/** A server has a trouble that may pass. One that had nothing else to say is as good as none. */
class Unable extends Error {}

/** Nobody answers under a name that was never heard of, or at an address where nobody listens, or the proxy does not lead there. */
class Nobody extends Refusal {}

function isNobodyThere(error: unknown): boolean {
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
