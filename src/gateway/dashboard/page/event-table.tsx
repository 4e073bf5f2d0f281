import type { EventJson } from "./api.ts";
import { Empty, ErrorNote, Time } from "./parts.tsx";

/** Kubernetes events about an application, the newest first. */
export function EventTable({
  events,
  error,
}: {
  readonly events: readonly EventJson[];
  readonly error: string | undefined;
}) {
  if (error !== undefined) return <ErrorNote text={error} />;
  if (events.length === 0) return <Empty>No event. Kubernetes keeps events for an hour.</Empty>;
  return (
    <table>
      <caption class="hidden">Events, the newest first</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Reason</th>
          <th scope="col">Message</th>
        </tr>
      </thead>
      <tbody>
        {events.toReversed().map(({ time, type, reason, object, count, message }) => (
          <tr key={`${time} ${object} ${reason} ${message}`}>
            <td>
              <Time at={time} />
            </td>
            <td class={type === "Warning" ? "bad" : ""}>
              {reason}
              {count > 1 && ` × ${count}`}
            </td>
            <td class="name">
              {message}
              <span class="detail">{object}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
