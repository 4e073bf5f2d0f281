import { isFields } from "../../values/fields.ts";
import type { SealedValues } from "../secrets/sealed-values.ts";

/** Reader of a Spark UI, with its permissions. */
export interface UiReader {
  readonly user?: string | undefined;
  /** Whether the reader may end jobs and stages. */
  readonly canKill: boolean;
}

/** Tickets for the Spark UI of one application each. They are a part of the address, so a page knows its own ticket only. */
export interface UiTickets {
  readonly issue: (key: string, reader: UiReader) => string;
  /** Returns the reader; `undefined` without a ticket for this application, or one that has expired. */
  readonly open: (key: string, ticket: string) => UiReader | undefined;
}

const lifetimeMs = 10 * 60 * 1000;

/** Returns the tickets of a gateway. */
export function uiTickets({ seal, open }: SealedValues): UiTickets {
  return {
    issue: (key, reader) => seal(purposeOf(key), reader, lifetimeMs),
    open(key, ticket) {
      const value = open(purposeOf(key), ticket);
      if (!isFields(value) || typeof value["canKill"] !== "boolean") return undefined;
      const { user, canKill } = value;
      return { user: typeof user === "string" ? user : undefined, canKill };
    },
  };
}

function purposeOf(key: string): string {
  return `ui ${key}`;
}
