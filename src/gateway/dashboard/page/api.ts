import type { ApplicationDetails, ApplicationJson } from "../../api/application-json.ts";
import type { QueuesJson } from "../../api/queues-json.ts";
import type { ScheduleJson } from "../../api/schedule-json.ts";
import type { Explanation } from "../../submit/explain-driver.ts";

export type { ApplicationDetails, ApplicationJson, Explanation, QueuesJson, ScheduleJson };

/** An event of Kubernetes about an application. */
export interface EventJson {
  readonly time: string;
  readonly type: string;
  readonly reason: string;
  readonly object: string;
  readonly count: number;
  readonly message: string;
}

/** A part of a log. */
export interface LogPageJson {
  readonly lines: readonly string[];
  readonly from: number;
  readonly total: number;
}

/** The user of the page. */
export interface SessionJson {
  readonly user?: string;
  /** Path that ends the session. */
  readonly logoutUrl?: string;
}

/** A problem of a request. */
export interface ProblemIssue {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** A response of the API that is not a success. */
export class ApiError extends Error {
  readonly issues: readonly ProblemIssue[];

  constructor(message: string, issues: readonly ProblemIssue[] = []) {
    super(message);
    this.issues = issues;
  }
}

/** The user must log in again. */
export class SessionEndedError extends ApiError {}

/** Root of the API. It is relative to this file, so the page works behind any prefix. */
const root = new URL("../api/v1/", import.meta.url);

/** Returns the URL of a path of the API. */
export function apiUrl(path: string): string {
  return new URL(path, root).href;
}

/** Returns the path of an application. */
export function applicationPath(key: string, part = ""): string {
  return `applications/${encodeURIComponent(key)}${part}`;
}

/** Reads a resource. @throws ApiError */
export async function read<T>(path: string): Promise<T> {
  return send(path, {});
}

/** Changes something. @throws ApiError */
export async function change<T>(path: string, body: object = {}, headers: Record<string, string> = {}): Promise<T> {
  return send(path, {
    method: "POST",
    headers: { "content-type": "application/json", "x-requested-by": "dashboard", ...headers },
    body: JSON.stringify(body),
  });
}

async function send<T>(path: string, options: RequestInit): Promise<T> {
  const response = await fetch(apiUrl(path), options).catch(() => {
    throw new ApiError("The gateway does not respond. Check the network, then repeat the action.");
  });
  const text = await response.text();
  const value = parsed(text);
  if (response.ok) return value;
  if (response.status === 401) throw new SessionEndedError("Your session has ended. Load the page again to log in.");
  throw new ApiError(value?.detail ?? `The gateway responded with status ${response.status}.`, value?.issues);
}

function parsed(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
