/** A view of the page, which the fragment of the URL names. */
export type Route =
  | { readonly view: "list" }
  | { readonly view: "queues" }
  | { readonly view: "schedules" }
  | { readonly view: "submit" }
  | { readonly view: "application"; readonly key: string; readonly part: ApplicationPart };

/** Parts of an application's view. */
export const applicationParts = ["log", "executors", "events", "settings"] as const;

/** A part of an application's view. */
export type ApplicationPart = (typeof applicationParts)[number];

/** Parses a fragment. Unknown ones lead to the list. */
export function parseRoute(fragment: string): Route {
  const [, view, key, part] = fragment.split("/");
  if (view === "queues" || view === "schedules" || view === "submit") return { view };
  if (view !== "applications" || key === undefined) return { view: "list" };
  const known = applicationParts.find((name) => name === part) ?? "log";
  return { view: "application", key, part: known };
}

/** Returns the fragment of an application. */
export function applicationRoute(key: string, part?: ApplicationPart): string {
  return `#/applications/${key}${part === undefined ? "" : `/${part}`}`;
}
