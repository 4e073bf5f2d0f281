import { useEffect, useRef, useState } from "preact/hooks";
import { read } from "./api.ts";

/** A resource of the API: the last value, and why the last read failed. */
export interface Resource<T> {
  readonly value: T | undefined;
  readonly error: string | undefined;
}

/** Reads a resource when the view opens, and again when `version` changes. */
export function useResource<T>(path: string, version: unknown): Resource<T> {
  const [resource, setResource] = useState<Resource<T>>({ value: undefined, error: undefined });
  useEffect(() => {
    let isCurrent = true;
    const show = (changed: (before: Resource<T>) => Resource<T>) => {
      if (isCurrent) setResource(changed);
    };
    read<T>(path).then(
      (value) => show(() => ({ value, error: undefined })),
      (error: unknown) =>
        show(({ value }) => ({ value, error: error instanceof Error ? error.message : String(error) })),
    );
    return () => {
      isCurrent = false;
    };
  }, [path, version]);
  return resource;
}

/** Returns a value that changes at most once in an interval; the last change always arrives. */
export function useThrottled<T>(value: T, intervalMs: number): T {
  const [shown, setShown] = useState(() => value);
  const changedMs = useRef(0);
  useEffect(() => {
    const show = () => {
      changedMs.current = Date.now();
      setShown(() => value);
    };
    const timer = setTimeout(show, Math.max(0, changedMs.current + intervalMs - Date.now()));
    return () => clearTimeout(timer);
  }, [value, intervalMs]);
  return shown;
}
