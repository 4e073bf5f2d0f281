import { applicationDetails } from "../api/application-json.ts";
import type { GatewayApplication } from "../model/application.ts";
import { sha256Hex } from "../sha256-hex.ts";
import type { UiLinks } from "../ui/ui-links.ts";

/** A new state of an application. */
export interface WebhookEvent {
  readonly application: GatewayApplication;
  /** Time of the change in ms since 1970. */
  readonly atMs: number;
}

/** Returns what the events of one attempt of an application have in common. */
export function attemptOf({ record: { key, attempt } }: GatewayApplication): string {
  return `${key}/${attempt}`;
}

/** Returns the ID of an event: the same in each process, so that a receiver recognizes a repetition. */
export function eventId(gateway: string, { application: { record, state } }: WebhookEvent): string {
  const parts = [gateway, record.key, record.acceptedMs, record.attempt, state];
  return `msg_${sha256Hex(JSON.stringify(parts)).slice(0, 32)}`;
}

/** Prints the body of an event: its type, and the application as the API shows it. */
export function eventBody({ application, atMs }: WebhookEvent, links: UiLinks): string {
  return JSON.stringify({
    type: `application.${application.state}`,
    timestamp: new Date(atMs).toISOString(),
    data: applicationDetails(application, links),
  });
}
