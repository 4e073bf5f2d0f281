import { podTemplateContainerName } from "../conf/entries/driver.ts";
import type { Event, KubeResource } from "../kube/types.ts";
import type { ContainerView } from "./container-view.ts";
import type { Observation, Rejection } from "./observation.ts";
import { eventTimes, type PodView, viewPod } from "./pod-view.ts";

/** Observation in the form that the rules read. */
export interface View {
  /** Ms since the epoch. */
  readonly now: number;
  readonly properties: Readonly<Record<string, string>>;
  readonly driver: PodView | undefined;
  readonly executors: readonly PodView[];
  readonly events: readonly Event[];
  readonly objects: readonly KubeResource[];
  readonly rejection: Rejection | undefined;
  /** Progress of the driver. */
  readonly stage: Stage;
}

/**
 * Progress of a driver: not observed, delayed before its container starts, running, succeeded (exit status 0), failed, or removed
 * before its end.
 */
export type Stage = "unseen" | "heldUp" | "running" | "endedWell" | "endedBadly";

/** Builds the view of an observation. */
export function viewOf(observation: Observation): View {
  const { now, properties, objects, rejection } = observation;
  const events = [...observation.events].sort(byTime);
  const driver =
    observation.driver &&
    viewPod(observation.driver, {
      ...{ role: "driver", events },
      mainName: properties[podTemplateContainerName.driver.key],
    });
  const executors = observation.executors.map((executor) =>
    viewPod(executor, {
      role: "executor",
      events,
      mainName: properties[podTemplateContainerName.executor.key],
    }),
  );
  return { now, properties, driver, executors, events, objects, rejection, stage: stageOf(driver) };
}

/** Compares events by time, and within a second by the order in which the API received them. */
function byTime(a: Event, b: Event): number {
  const version = ({ metadata }: Event) => Number(metadata.resourceVersion ?? "0");
  return eventTimes(a).last - eventTimes(b).last || version(a) - version(b);
}

function stageOf(driver: PodView | undefined): Stage {
  if (driver === undefined) return "unseen";
  const { main, phase } = driver;
  if (main.end !== undefined) return main.end.exitCode === 0 ? "endedWell" : "endedBadly";
  if (main.state.running !== undefined) return "running";
  if (phase === "Succeeded") return "endedWell";
  return phase === "Failed" ? "endedBadly" : "heldUp";
}

/** Returns the objects of a kind. */
export function objectsOf({ objects }: View, kind: string): readonly KubeResource[] {
  return objects.filter((object) => object.kind === kind);
}

/** Names a container for users: the driver, the init container fetch, the sidecar log-shipper. */
export function titleOf({ role }: PodView, { kind, name }: ContainerView): string {
  if (kind === "main") return `the ${role}`;
  return kind === "init" ? `the init container ${name}` : `the sidecar ${name}`;
}

/** Capitalizes the first letter of a text. */
export function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
