import { useEffect, useState } from "preact/hooks";
import { change, type ScheduleJson } from "./api.ts";
import { Empty, ErrorNote, StateBadge, Time, Title } from "./parts.tsx";
import { applicationRoute } from "./route.ts";
import { applicationOf } from "./store.ts";
import { useResource } from "./use-resource.ts";

const refreshMs = 10_000;

/** The schedules with their next and last runs. */
export function SchedulesView() {
  const [round, setRound] = useState(0);
  const [failure, setFailure] = useState<string>();
  const refresh = () => setRound((before) => before + 1);
  useEffect(() => {
    const timer = setInterval(refresh, refreshMs);
    return () => clearInterval(timer);
  }, []);
  const { value, error } = useResource<{ readonly schedules: readonly ScheduleJson[] }>("schedules?limit=1000", round);
  const onChange = (schedule: ScheduleJson) => {
    const { namespace, name, suspend } = schedule;
    const changed = change(`schedules/${namespace}/${name}/${suspend ? "resume" : "suspend"}`);
    changed
      .then(() => setFailure(undefined))
      .catch((reason: unknown) => setFailure(reason instanceof Error ? reason.message : String(reason)))
      .finally(refresh);
  };
  return (
    <>
      <Title>Schedules</Title>
      <ErrorNote text={failure ?? error} />
      {value === undefined ? (
        <Empty>Reading the schedules.</Empty>
      ) : value.schedules.length === 0 ? (
        <Empty>No schedule yet. Clients create schedules with POST /api/v1/schedules.</Empty>
      ) : (
        <ScheduleTable schedules={value.schedules} onChange={onChange} />
      )}
    </>
  );
}

interface ScheduleTableProps {
  readonly schedules: readonly ScheduleJson[];
  /** Suspends or resumes a schedule. */
  readonly onChange: (schedule: ScheduleJson) => void;
}

function ScheduleTable({ schedules, onChange }: ScheduleTableProps) {
  return (
    <table class="schedules">
      <caption class="hidden">Schedules</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col" class="wide">
            Times
          </th>
          <th scope="col">Next run</th>
          <th scope="col">Last run</th>
          <th scope="col">
            <span class="hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {schedules.map((schedule) => (
          <tr key={`${schedule.namespace}/${schedule.name}`}>
            <th scope="row" class="name">
              {schedule.name}
              <span class="detail">{schedule.namespace}</span>
            </th>
            <td class="wide">
              <code>{schedule.schedule}</code>
              <span class="detail">{schedule.timeZone ?? "UTC"}</span>
            </td>
            <td>{schedule.suspend ? "suspended" : <Time at={schedule.nextRunAt} />}</td>
            <td>
              <LastRun schedule={schedule} />
            </td>
            <td>
              <button
                type="button"
                onClick={() => onChange(schedule)}
                aria-label={`${verbOf(schedule)} ${schedule.name}`}
              >
                {verbOf(schedule)}
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function verbOf({ suspend }: ScheduleJson): string {
  return suspend ? "Resume" : "Suspend";
}

function LastRun({ schedule: { lastRun, problem } }: { readonly schedule: ScheduleJson }) {
  if (problem !== undefined) return <span class="detail">{problem}</span>;
  if (lastRun === undefined) return <span class="none">–</span>;
  // Its state changes more often than the schedules are read.
  const state = applicationOf(lastRun.key)?.state ?? lastRun.state;
  if (state === undefined) return <Time at={lastRun.startedAt} />;
  return (
    <>
      <a href={applicationRoute(lastRun.key)} aria-label={`${state}, run ${lastRun.name}`}>
        <StateBadge state={state} />
      </a>
      <span class="detail">
        <Time at={lastRun.startedAt} />
      </span>
    </>
  );
}
