import { useEffect, useRef } from "preact/hooks";
import type { SessionJson } from "./api.ts";
import { ApplicationView } from "./application-view.tsx";
import { ListView } from "./list-view.tsx";
import { QueuesView } from "./queues-view.tsx";
import type { Route } from "./route.ts";
import { SchedulesView } from "./schedules-view.tsx";
import { applicationOf, type Connection, connection, route } from "./store.ts";
import { SubmitView } from "./submit-view.tsx";
import { chooseNextTheme, theme } from "./theme.ts";
import { useResource } from "./use-resource.ts";

const links = [
  { view: "list", href: "#/", text: "Applications" },
  { view: "queues", href: "#/queues", text: "Queues" },
  { view: "schedules", href: "#/schedules", text: "Schedules" },
  { view: "submit", href: "#/submit", text: "Submit" },
] as const;

const connectionTexts: Readonly<Record<Connection, string>> = {
  connecting: "Connecting",
  open: "Live",
  lost: "Connection lost; connecting again",
  ended: "Session ended; load the page again",
};

/** The whole page. */
export function App() {
  const main = useRef<HTMLElement>(null);
  const { view } = route.value;
  const key = route.value.view === "application" ? route.value.key : "";
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = `${titleOf(view, key)} – Firesteel`;
    // A new view begins at its heading, also for screen readers.
    if (!isFirst.current) main.current?.querySelector<HTMLElement>("h1")?.focus();
    isFirst.current = false;
  }, [view, key]);
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <header class="top">
        <a class="brand" href="#/" aria-label="Firesteel, all applications">
          <BrandIcon />
          <span>Firesteel</span>
        </a>
        <nav class="views" aria-label="Views">
          {links.map(({ view: target, href, text }) => (
            <a key={target} href={href} aria-current={target === view ? "page" : undefined}>
              {text}
            </a>
          ))}
        </nav>
        <ConnectionState />
        <Session />
        <button type="button" class="quiet" onClick={chooseNextTheme} aria-label={`Theme: ${theme.value}`}>
          {theme.value === "dark" ? "☾" : theme.value === "light" ? "☀" : "◐"}
        </button>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <CurrentView />
      </main>
    </>
  );
}

function titleOf(view: Route["view"], key: string): string {
  return links.find((link) => link.view === view)?.text ?? applicationOf(key)?.name ?? key;
}

function CurrentView() {
  const current = route.value;
  switch (current.view) {
    case "list":
      return <ListView />;
    case "queues":
      return <QueuesView />;
    case "schedules":
      return <SchedulesView />;
    case "submit":
      return <SubmitView />;
    case "application":
      return <ApplicationView key={current.key} id={current.key} part={current.part} />;
  }
}

function ConnectionState() {
  return (
    <span class={`connection ${connection.value}`} role="status">
      <span class="dot" aria-hidden="true" />
      <span class="text">{connectionTexts[connection.value]}</span>
    </span>
  );
}

/** The user who has logged in, with a button to log out. */
function Session() {
  const { user, logoutUrl } = useResource<SessionJson>("session", "").value ?? {};
  if (user === undefined) return null;
  return (
    <form class="session" method="post" action={logoutUrl}>
      <span class="user">{user}</span>
      {logoutUrl !== undefined && (
        <button type="submit" class="quiet">
          Log out
        </button>
      )}
    </form>
  );
}

function BrandIcon() {
  return (
    <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
      <path d="M17.5 2 6 18h7.5L11 30l15-17h-8z" fill="currentColor" />
    </svg>
  );
}
