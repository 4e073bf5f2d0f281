import type { AttachRequest } from "../api/pod-sessions.ts";

type Listener = AttachRequest["onOutput"];

/** Clients that listen to what a pod's containers print. */
export interface Attachments {
  readonly write: (container: string, ...output: Parameters<Listener>) => void;
  /** From now on. @returns how to leave */
  readonly join: (container: string, listener: Listener) => () => void;
}

/** Of one pod. */
export function attachments(): Attachments {
  const listeners = new Map<string, Set<Listener>>();
  return {
    write(container, stream, chunk) {
      for (const listener of listeners.get(container) ?? []) listener(stream, chunk);
    },
    join(container, listener) {
      const own = listeners.get(container) ?? new Set();
      listeners.set(container, own.add(listener));
      return () => own.delete(listener);
    },
  };
}
