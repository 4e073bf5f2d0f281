import type { ComponentChildren } from "preact";
import type { ApplicationJson } from "./api.ts";
import { formatDuration } from "./format.ts";
import { finalStates } from "./select-applications.ts";
import { now } from "./store.ts";

/** State with its color. */
export function StateBadge({ state }: { readonly state: string }) {
  return <span class={`badge ${state}`}>{state}</span>;
}

/** First heading of a view, which gets the focus when the view opens. */
export function Title({ children }: { readonly children: ComponentChildren }) {
  return <h1 tabIndex={-1}>{children}</h1>;
}

/** A time as the reader writes it, with its date if that is not today. */
export function Time({ at }: { readonly at: string | undefined }) {
  if (at === undefined) return <span class="none">–</span>;
  const time = new Date(at);
  const isToday = time.toDateString() === new Date(now.value).toDateString();
  const text = isToday ? time.toLocaleTimeString() : `${time.toLocaleDateString()} ${time.toLocaleTimeString()}`;
  return (
    <time dateTime={at} title={time.toLocaleString()}>
      {text}
    </time>
  );
}

/** Time from the acceptance or the start of an application to its end, or until now. */
export function Duration({ application }: { readonly application: ApplicationJson }) {
  const { acceptedAt, startedAt, endedAt, state } = application;
  const from = startedAt ?? acceptedAt;
  if (from === undefined) return <span class="none">–</span>;
  const isFinal = finalStates.includes(state);
  const to = endedAt === undefined ? (isFinal ? Date.parse(from) : now.value) : Date.parse(endedAt);
  return <span class="number">{formatDuration(to - Date.parse(from))}</span>;
}

/** A message about a failure of the page itself. */
export function ErrorNote({ text }: { readonly text: string | undefined }) {
  return text === undefined ? null : (
    <p class="note error" role="alert">
      {text}
    </p>
  );
}

/** A sentence instead of an empty table. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}
