import type { StoredObject } from "./store.ts";

/** An event of an object. */
export interface ObjectEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** Part of the object, e.g. `spec.containers{a}`. */
  readonly fieldPath?: string;
  /** Reporting component, e.g. `kubelet`; `host` is its node. */
  readonly component: string;
  readonly host?: string;
}

/** Records events of objects. */
export interface EventRecorder {
  /** Records an event. Repeated events increase a counter; similar events are combined. */
  readonly record: (object: StoredObject, event: ObjectEvent) => void;
  /** Removes the event history of an object. */
  readonly forget: (uid: string) => void;
}
