import type { ApplicationJson } from "./api.ts";
import { countOf } from "./format.ts";
import { Duration, Empty, StateBadge, Time, Title } from "./parts.tsx";
import { applicationRoute } from "./route.ts";
import { type ListFilter, noFilter, queueOf, selectApplications, stateGroups } from "./select-applications.ts";
import { applications, connection, filter, listPage } from "./store.ts";

const pageSize = 50;

/** The list of applications with its filters. */
export function ListView() {
  const all = applications.value;
  const found = selectApplications(all, filter.value);
  const last = Math.max(0, Math.ceil(found.length / pageSize) - 1);
  const page = Math.min(listPage.value, last);
  return (
    <>
      <Title>Applications</Title>
      <Filters all={all} />
      <p class="summary" role="status">
        {found.length === all.length
          ? countOf(all.length, "application")
          : `${found.length} of ${all.length} applications`}
      </p>
      {found.length === 0 ? (
        <Nothing hasAny={all.length > 0} />
      ) : (
        <ApplicationTable applications={found.slice(page * pageSize, (page + 1) * pageSize)} />
      )}
      {last > 0 && <Pages page={page} last={last} />}
    </>
  );
}

function Nothing({ hasAny }: { readonly hasAny: boolean }) {
  if (connection.value !== "open") return <Empty>Waiting for the gateway.</Empty>;
  if (!hasAny) {
    return (
      <Empty>
        No application yet. <a href="#/submit">Submit one</a>, or send one by any client.
      </Empty>
    );
  }
  return (
    <Empty>
      No application matches.{" "}
      <button type="button" onClick={() => choose(noFilter)}>
        Clear the filters
      </button>
    </Empty>
  );
}

function choose(changes: Partial<ListFilter>): void {
  filter.value = { ...filter.value, ...changes };
  listPage.value = 0;
}

function Filters({ all }: { readonly all: readonly ApplicationJson[] }) {
  const { states, text } = filter.value;
  return (
    <search class="filters" aria-label="Filters">
      <fieldset class="chips">
        <legend class="hidden">State</legend>
        {stateGroups.map(({ name, states: members }) => {
          const isChosen = members.some((state) => states.includes(state));
          const count = all.filter(({ state }) => members.some((member) => member === state)).length;
          const others = states.filter((state) => !members.some((member) => member === state));
          return (
            <button
              key={name}
              type="button"
              class={`chip ${members.at(-1)}`}
              aria-pressed={isChosen}
              onClick={() => choose({ states: isChosen ? others : [...others, ...members] })}
            >
              {name} <b>{count}</b>
            </button>
          );
        })}
      </fieldset>
      <input
        type="search"
        aria-label="Search by name, ID, owner or reason"
        placeholder="Search name, ID, owner, reason"
        value={text}
        onInput={({ currentTarget }) => choose({ text: currentTarget.value })}
      />
      <Choice label="Queue" field="queue" values={all.map(queueOf)} />
      <Choice label="Namespace" field="namespace" values={all.map(({ namespace }) => namespace)} />
      <Choice label="Protocol" field="protocol" values={all.map(({ protocol }) => protocol)} />
    </search>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly field: "queue" | "namespace" | "protocol";
  readonly values: readonly string[];
}

/** A filter by one of the values that exist; hidden while all are the same. */
function Choice({ label, field, values }: ChoiceProps) {
  const distinct = [...new Set(values)].sort();
  const chosen = filter.value[field];
  if (distinct.length < 2 && chosen === "") return null;
  return (
    <label class="choice">
      <span>{label}</span>
      <select value={chosen} onChange={({ currentTarget }) => choose({ [field]: currentTarget.value })}>
        <option value="">All</option>
        {distinct.map((value) => (
          <option key={value} value={value}>
            {value}
          </option>
        ))}
      </select>
    </label>
  );
}

function ApplicationTable({ applications: shown }: { readonly applications: readonly ApplicationJson[] }) {
  return (
    <table class="list">
      <caption class="hidden">Applications, the newest first</caption>
      <thead>
        <tr>
          <th scope="col">State</th>
          <th scope="col">Application</th>
          <th scope="col" class="wide">
            Owner
          </th>
          <th scope="col" class="wide">
            Queue
          </th>
          <th scope="col" class="wide number">
            Executors
          </th>
          <th scope="col" class="wide">
            Submitted
          </th>
          <th scope="col" class="number">
            Duration
          </th>
        </tr>
      </thead>
      <tbody>
        {shown.map((application) => (
          <Row key={application.key} application={application} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ application }: { readonly application: ApplicationJson }) {
  const { key, state, name, id, protocol, owner, executors, position, acceptedAt } = application;
  return (
    <tr>
      <td>
        <StateBadge state={state} />
      </td>
      <td class="name">
        <a href={applicationRoute(key)}>{name ?? id}</a>
        <Detail application={application} />
      </td>
      <td class="wide">{owner ?? <span class="none">–</span>}</td>
      <td class="wide queue">
        {queueOf(application)}
        {position !== undefined && <span class="position"> no. {position}</span>}
      </td>
      <td class="wide number">
        {executors.total === 0 ? <span class="none">–</span> : executors.running}
        {executors.failed > 0 && <span class="bad"> {executors.failed} failed</span>}
      </td>
      <td class="wide" title={protocol}>
        <Time at={acceptedAt} />
      </td>
      <td class="number">
        <Duration application={application} />
      </td>
    </tr>
  );
}

/** Second line of an application: why it waits or has failed, otherwise its ID. */
function Detail({ application }: { readonly application: ApplicationJson }) {
  const { protocol, id, message, state } = application;
  // The message of a failure is long, and its reason says enough.
  const reason = state === "pending" ? (message ?? application.reason) : application.reason;
  const isNotable = reason !== undefined && state !== "running" && state !== "succeeded";
  return isNotable ? (
    <span class={`detail ${state === "failed" ? "bad" : ""}`}>{reason}</span>
  ) : (
    <span class="detail">{`${protocol} ${id}`}</span>
  );
}

function Pages({ page, last }: { readonly page: number; readonly last: number }) {
  const go = (target: number) => {
    listPage.value = target;
  };
  return (
    <nav class="pages" aria-label="Pages">
      <button type="button" disabled={page === 0} onClick={() => go(page - 1)}>
        Newer
      </button>
      <span>
        Page {page + 1} of {last + 1}
      </span>
      <button type="button" disabled={page === last} onClick={() => go(page + 1)}>
        Older
      </button>
    </nav>
  );
}
