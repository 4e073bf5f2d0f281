import type { ApplicationDetails, EventJson } from "./api.ts";
import { buildTimeline, type ExecutorStep, type Timeline } from "./application-timeline.ts";
import { countOf, formatDuration } from "./format.ts";
import { finalStates } from "./select-applications.ts";
import { now } from "./store.ts";

interface TimelineProps {
  readonly details: ApplicationDetails;
  readonly events: readonly EventJson[];
}

/** Size of the drawing; it is stretched to the width of the page. */
const size = { width: 1000, bar: 16, executors: 48 };

/** The phases of an application as one bar, its executors below, and the same as text. */
export function TimelineChart({ details, events }: TimelineProps) {
  const isFinal = finalStates.includes(details.state);
  const timeline = buildTimeline(
    details,
    events,
    isFinal ? Date.parse(details.endedAt ?? details.acceptedAt ?? "") : now.value,
  );
  const { phases, executors } = timeline;
  const most = Math.max(0, ...executors.map(({ count }) => count));
  const x = scaleOf(timeline);
  const height = size.bar + (most > 0 ? size.executors + 6 : 0);
  return (
    <section class="timeline" aria-label="Timeline">
      <svg
        viewBox={`0 0 ${size.width} ${height}`}
        preserveAspectRatio="none"
        style={{ height: `${height}px` }}
        aria-hidden="true"
      >
        {phases.map(({ name, fromMs, toMs }, index) => (
          <rect
            key={name}
            class={`phase p${phaseColor(name)}`}
            x={x(fromMs)}
            width={Math.max(index === phases.length - 1 ? 3 : 2, x(toMs) - x(fromMs))}
            height={size.bar}
          />
        ))}
        {most > 0 && <path class="executors" d={areaOf(executors, { x, most, top: size.bar + 6 })} />}
      </svg>
      <ol class="legend">
        {phases.map(({ name, fromMs, toMs, isOpen }) => (
          <li key={name}>
            <span class={`key p${phaseColor(name)}`} aria-hidden="true" />
            {name} <b>{formatDuration(toMs - fromMs)}</b>
            {isOpen && " so far"}
          </li>
        ))}
        {most > 0 && (
          <li>
            <span class="key executors" aria-hidden="true" />
            At most <b>{countOf(most, "executor")}</b>
          </li>
        )}
      </ol>
    </section>
  );
}

const phaseOrder = ["Queued", "Waiting for a node", "Pulling the image", "Starting the driver", "Running"];

function phaseColor(name: string): number {
  return phaseOrder.indexOf(name);
}

function scaleOf({ fromMs, toMs }: Timeline): (ms: number) => number {
  return (ms) => Math.round(((ms - fromMs) / (toMs - fromMs)) * size.width * 10) / 10;
}

interface AreaScale {
  readonly x: (ms: number) => number;
  readonly most: number;
  readonly top: number;
}

/** Draws the number of executors as steps above the lower edge. */
function areaOf(steps: readonly ExecutorStep[], { x, most, top }: AreaScale): string {
  const bottom = top + size.executors;
  const y = (count: number) => Math.round((bottom - (count / most) * size.executors) * 10) / 10;
  const [first] = steps;
  const path = steps.map(({ atMs, count }) => `H${x(atMs)}V${y(count)}`);
  return `M${x(first?.atMs ?? 0)} ${bottom}${path.join("")}V${bottom}Z`;
}
