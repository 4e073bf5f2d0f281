import type { AttachRequest } from "../api/pod-sessions.ts";

type Listener = AttachRequest["onOutput"];

/** Clients attached to the output of a pod's containers. */
export interface Attachments {
  readonly write: (container: string, ...output: Parameters<Listener>) => void;
  /** Subscribes to future output. @returns a function that unsubscribes. */
  readonly subscribe: (container: string, listener: Listener) => () => void;
}

/** Creates the attachments of one pod. */
export function attachments(): Attachments {
  const listeners = new Map<string, Set<Listener>>();
  return {
    write(container, stream, chunk) {
      for (const listener of listeners.get(container) ?? []) listener(stream, chunk);
    },
    subscribe(container, listener) {
      const own = listeners.get(container) ?? new Set();
      listeners.set(container, own.add(listener));
      return () => own.delete(listener);
    },
  };
}
