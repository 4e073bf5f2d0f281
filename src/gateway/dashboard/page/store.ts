import { computed, signal } from "@preact/signals";
import { type ApplicationJson, apiUrl, read, SessionEndedError } from "./api.ts";
import { parseRoute } from "./route.ts";
import { type ListFilter, noFilter } from "./select-applications.ts";

/** State of the connection to the gateway. */
export type Connection = "connecting" | "open" | "lost" | "ended";

/** In the order of acceptance, in which they arrive. */
const byKey = new Map<string, ApplicationJson>();
/** Increases with each change of the applications. */
const version = signal(0);

export const connection = signal<Connection>("connecting");
export const route = signal(parseRoute(location.hash));
export const filter = signal<ListFilter>(noFilter);
/** Number of the page of the list, from 0 on. */
export const listPage = signal(0);
/** Present time, every second. */
export const now = signal(Date.now());

/** All applications, the newest first. */
export const applications = computed<readonly ApplicationJson[]>(() => {
  version.value;
  return [...byKey.values()].reverse();
});

/** Returns an application, and subscribes to its changes. */
export function applicationOf(key: string): ApplicationJson | undefined {
  version.value;
  return byKey.get(key);
}

/** Starts to follow the applications, the address and the time. */
export function startStore(): void {
  addEventListener("hashchange", () => {
    route.value = parseRoute(location.hash);
  });
  setInterval(() => {
    if (!document.hidden) now.value = Date.now();
  }, 1000);
  setInterval(() => void refreshPositions(), 5000);
  followChanges();
}

let isScheduled = false;

/** Shows changes together: thousands arrive at the start. */
function onChange(): void {
  if (isScheduled) return;
  isScheduled = true;
  setTimeout(() => {
    isScheduled = false;
    version.value += 1;
  }, 50);
}

function followChanges(): void {
  const source = new EventSource(apiUrl("changes"));
  source.addEventListener("start", () => {
    // All applications follow, so those that were removed meanwhile must go.
    byKey.clear();
    connection.value = "open";
    onChange();
  });
  source.addEventListener("application", ({ data }) => {
    const application: ApplicationJson = JSON.parse(data);
    byKey.set(application.key, application);
    onChange();
  });
  source.addEventListener("removed", ({ data }) => {
    byKey.delete(JSON.parse(data).key);
    onChange();
  });
  source.addEventListener("error", () => {
    if (connection.value !== "ended") connection.value = "lost";
    // The browser connects again by itself, unless the response was an error.
    if (source.readyState !== EventSource.CLOSED) return;
    source.close();
    read("session").catch((error: unknown) => {
      if (error instanceof SessionEndedError) connection.value = "ended";
    });
    setTimeout(followChanges, 3000);
  });
}

/** Reads the positions in the queues, which change with other applications. */
async function refreshPositions(): Promise<void> {
  const isQueued = [...byKey.values()].some(({ state }) => state === "queued");
  if (document.hidden || !isQueued || connection.value !== "open") return;
  try {
    const page = await read<{ applications: readonly ApplicationJson[] }>("applications?state=queued&limit=1000");
    for (const application of page.applications)
      if (byKey.get(application.key)?.state === "queued") byKey.set(application.key, application);
    onChange();
  } catch {
    // The next attempt follows; the connection's state is visible.
  }
}
