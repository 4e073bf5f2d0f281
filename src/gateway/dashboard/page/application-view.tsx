import { useRef, useState } from "preact/hooks";
import { type ApplicationDetails, type ApplicationJson, applicationPath, change, type EventJson } from "./api.ts";
import { EventTable } from "./event-table.tsx";
import { ExecutorTable } from "./executor-table.tsx";
import { LogView } from "./log-view.tsx";
import { Duration, Empty, ErrorNote, StateBadge, Time, Title } from "./parts.tsx";
import { type ApplicationPart, applicationParts, applicationRoute } from "./route.ts";
import { finalStates, queueOf } from "./select-applications.ts";
import { SettingsView } from "./settings-view.tsx";
import { applicationOf, connection } from "./store.ts";
import { TimelineChart } from "./timeline-chart.tsx";
import { useResource, useThrottled } from "./use-resource.ts";

interface ApplicationProps {
  readonly id: string;
  readonly part: ApplicationPart;
}

const partNames: Readonly<Record<ApplicationPart, string>> = {
  log: "Log",
  executors: "Executors",
  events: "Events",
  settings: "Settings",
};

/** Least interval between reads of the details: thousands of executors can change in a second. */
const detailsIntervalMs = 1000;

/** One application. */
export function ApplicationView({ id, part }: ApplicationProps) {
  const application = applicationOf(id);
  const details = useResource<ApplicationDetails>(applicationPath(id), useThrottled(application, detailsIntervalMs));
  const events = useResource<{ events: readonly EventJson[] }>(applicationPath(id, "/events"), application?.state);
  if (application === undefined) {
    return (
      <>
        <Title>Application</Title>
        <Empty>{connection.value === "open" ? "This application does not exist." : "Waiting for the gateway."}</Empty>
      </>
    );
  }
  return (
    <>
      <Head application={application} />
      <Problem application={application} />
      {details.value !== undefined && <TimelineChart details={details.value} events={events.value?.events ?? []} />}
      <Facts application={application} />
      <nav class="tabs" aria-label="Parts of the application">
        {applicationParts.map((name) => (
          <a key={name} href={applicationRoute(id, name)} aria-current={name === part ? "page" : undefined}>
            {partNames[name]}
            {name === "executors" && application.executors.failed > 0 && (
              <span class="bad"> {application.executors.failed} failed</span>
            )}
          </a>
        ))}
      </nav>
      <section aria-label={partNames[part]}>
        <ErrorNote text={details.error} />
        {part === "log" && details.value?.log?.state === "failed" && (
          <ErrorNote text={`Only the last lines are kept: ${details.value.log.reason}`} />
        )}
        {part === "log" && <LogView key={application.attempt} id={id} />}
        {part === "executors" && <ExecutorTable executors={details.value?.executorList ?? []} />}
        {part === "events" && <EventTable events={events.value?.events ?? []} error={events.error} />}
        {part === "settings" && <SettingsView id={id} />}
      </section>
    </>
  );
}

function Head({ application }: { readonly application: ApplicationJson }) {
  const { name, id, state } = application;
  return (
    <div class="head">
      <Title>{name ?? id}</Title>
      <StateBadge state={state} />
      <Duration application={application} />
      <Actions application={application} />
    </div>
  );
}

function Actions({
  application: { key, state, name, id, uiUrl, historyUrl },
}: {
  readonly application: ApplicationJson;
}) {
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  const isFinal = finalStates.includes(state);
  const send = (action: "kill" | "retry") => {
    dialog.current?.close();
    setBusy(true);
    change(applicationPath(key, `/${action}`))
      .then(
        () => setError(undefined),
        (failure: Error) => setError(failure.message),
      )
      .finally(() => setBusy(false));
  };
  return (
    <div class="actions">
      {uiUrl !== undefined && <a href={uiUrl}>Spark UI</a>}
      {historyUrl !== undefined && <a href={historyUrl}>Spark UI in the history server</a>}
      {isFinal ? (
        <button type="button" disabled={isBusy} onClick={() => send("retry")}>
          Run again
        </button>
      ) : (
        <button type="button" class="danger" disabled={isBusy} onClick={() => dialog.current?.showModal()}>
          Kill
        </button>
      )}
      <ErrorNote text={error} />
      <dialog ref={dialog} aria-labelledby="kill-title">
        <h2 id="kill-title">Kill {name ?? id}?</h2>
        <p>Its driver and its executors are deleted. What it has not stored is lost.</p>
        <div class="actions">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="button" class="danger" onClick={() => send("kill")}>
            Kill the application
          </button>
        </div>
      </dialog>
    </div>
  );
}

/** States in which a diagnosis can find something. */
const diagnosedStates: readonly string[] = ["queued", "submitting", "pending", "failed"];

/** Reason why an application waits, makes no progress or has failed, and what helps. */
function Problem({ application }: { readonly application: ApplicationJson }) {
  const { key, state, reason, message, killedBy, exitCode } = application;
  if (state === "killed") return <p class="note">{`Killed by ${killedBy ?? "the cluster"}.`}</p>;
  if (!diagnosedStates.includes(state)) return null;
  const code = exitCode === undefined ? "" : `exit code ${exitCode}`;
  const short = [reason ?? "", code].filter(Boolean).join(", ");
  return (
    <div class={`note ${state === "failed" ? "error" : "waiting"}`} role="status">
      {short !== "" && <b>{/[.?!]$/.test(short) ? short : `${short}.`} </b>}
      {message !== undefined && <span>{message} </span>}
      {(message === undefined || state !== "failed") && (
        <Diagnosis id={key} version={`${state} ${reason} ${message}`} known={[reason, message]} />
      )}
    </div>
  );
}

interface DiagnosisProps {
  readonly id: string;
  readonly version: string;
  /** Texts that are shown already. */
  readonly known: readonly (string | undefined)[];
}

function Diagnosis({ id, version, known }: DiagnosisProps) {
  const { value } = useResource<{ message?: string }>(applicationPath(id, "/diagnosis"), version);
  if (value === undefined) return <span>Looking for the reason …</span>;
  return value.message === undefined || known.includes(value.message) ? null : <span>{value.message}</span>;
}

function Facts({ application }: { readonly application: ApplicationJson }) {
  const { protocol, id, owner, proxyUser, namespace, podName, nodeName, appId, attempt, priority } = application;
  const { position, acceptedAt, startedAt, endedAt } = application;
  const queue = `${queueOf(application)}${position === undefined ? "" : `, no. ${position}`}`;
  return (
    <dl class="facts">
      <Fact name="ID" value={`${protocol} ${id}`} />
      <Fact name="Owner" value={proxyUser === undefined ? owner : `${owner ?? "anonymous"} for ${proxyUser}`} />
      <Fact name="Queue" value={queue} />
      <Fact name="Priority" value={priority === 0 ? undefined : String(priority)} />
      <Fact name="Attempt" value={attempt === 1 ? undefined : String(attempt)} />
      <Moment name="Submitted" at={acceptedAt} />
      <Moment name="Started" at={startedAt} />
      <Moment name="Ended" at={endedAt} />
      <Fact name="Node" value={nodeName} />
      <Fact name="Driver pod" value={`${namespace}/${podName}`} isLong />
      <Fact name="Spark application" value={appId} isLong />
    </dl>
  );
}

interface FactProps {
  readonly name: string;
  /** Nothing is shown without a value. */
  readonly value: string | undefined;
  /** @default false */
  readonly isLong?: boolean;
}

function Fact({ name, value, isLong = false }: FactProps) {
  return value === undefined ? null : (
    <div class={isLong ? "long" : ""}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Moment({ name, at }: { readonly name: string; readonly at: string | undefined }) {
  return at === undefined ? null : (
    <div>
      <dt>{name}</dt>
      <dd>
        <Time at={at} />
      </dd>
    </div>
  );
}
