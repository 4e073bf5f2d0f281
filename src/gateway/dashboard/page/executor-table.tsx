import type { ApplicationDetails } from "./api.ts";
import { countOf, formatDuration } from "./format.ts";
import { Empty, StateBadge, Time } from "./parts.tsx";
import { now } from "./store.ts";

type Executors = ApplicationDetails["executorList"];

/** The executors of an application, failed ones first. */
export function ExecutorTable({ executors }: { readonly executors: Executors }) {
  if (executors.length === 0) return <Empty>No executor yet.</Empty>;
  const failed = executors.filter(({ state }) => state === "failed");
  const reasons = new Map<string, number>();
  for (const { reason = "no reason" } of failed) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const sorted = executors.toSorted((a, b) => rank(a.state) - rank(b.state) || Number(a.id) - Number(b.id));
  return (
    <>
      {failed.length > 0 && (
        <p class="note error">
          {`${countOf(failed.length, "executor")} of ${executors.length} failed: `}
          {[...reasons].map(([reason, count]) => `${count} × ${reason}`).join(", ")}.
        </p>
      )}
      <table>
        <caption class="hidden">Executors</caption>
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">Executor</th>
            <th scope="col">Reason</th>
            <th scope="col" class="wide">
              Created
            </th>
            <th scope="col" class="number">
              Lifetime
            </th>
          </tr>
        </thead>
        <tbody>
          {sorted.map(({ id, podName, state, reason, createdAt, endedAt }) => (
            <tr key={podName}>
              <td>
                <StateBadge state={state} />
              </td>
              <td class="name">
                {id}
                <span class="detail">{podName}</span>
              </td>
              <td>{reason ?? <span class="none">–</span>}</td>
              <td class="wide">
                <Time at={createdAt} />
              </td>
              <td class="number">{lifetime(createdAt, endedAt)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function rank(state: string): number {
  return ["failed", "pending", "running", "succeeded"].indexOf(state);
}

function lifetime(from: string | undefined, to: string | undefined): string {
  if (from === undefined) return "–";
  return formatDuration((to === undefined ? now.value : Date.parse(to)) - Date.parse(from));
}
