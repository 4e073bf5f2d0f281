import { useEffect, useState } from "preact/hooks";
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
