import { uiEnabledKey } from "../../conf/entries/spark-ui.ts";
import type { GatewayApplication } from "../model/application.ts";

/** Addresses of pages about an application. */
export interface UiLinks {
  /** Path of the Spark UI of a running application, with the prefix of the gateway. */
  readonly uiUrl?: string;
  /** URL of an ended application on the history server, or its path if the gateway serves it. */
  readonly historyUrl?: string;
}

/** Returns the links of an application. */
export type LinksOf = (application: GatewayApplication) => UiLinks;

/** Server of the Spark UI that the gateway serves: the driver, or the gateway's own history server. */
export type UiSource = "driver" | "history";

/** Returns the server of the Spark UI of an application; `undefined` if the gateway serves none. */
export type SourceOf = (application: GatewayApplication) => UiSource | undefined;

interface LinkSettings {
  /** Path at which the Spark UIs are served, without a slash at its end. */
  readonly uiRoot: string;
  readonly sourceOf: SourceOf;
  /** URL of another history server. @default none */
  readonly historyServer: string | undefined;
}

/** Path of a Spark UI, with the key of its application and the path in the UI. */
export const uiPathForm = /^\/applications\/([^/]+)\/ui(\/.*)?$/;

/** Path of the Spark UI of an application below the root of the UIs. */
export function uiPath(key: string): string {
  return `/applications/${key}/ui`;
}

interface SourceSettings {
  /** Whether the gateway serves Spark UIs. */
  readonly servesUi: boolean;
  /** Whether the gateway has a history server of its own. */
  readonly hasHistory: boolean;
}

/** Returns the function that finds the server of a Spark UI. */
export function uiSource({ servesUi, hasHistory }: SourceSettings): SourceOf {
  return (application) => {
    if (!servesUi) return undefined;
    const { state, record } = application;
    if (state === "running" && record.submission.settings[uiEnabledKey] !== "false") return "driver";
    return hasHistory && hasEndedAsApplication(application) ? "history" : undefined;
  };
}

/** Returns the links of applications as far as the gateway serves or knows their pages. */
export function uiLinks({ uiRoot, sourceOf, historyServer }: LinkSettings): LinksOf {
  const history = historyServer?.replace(/\/+$/, "");
  return (application) => {
    const { key, appId } = application.record;
    const ownUrl = `${uiRoot}${uiPath(key)}/`;
    const source = sourceOf(application);
    if (source !== undefined) return source === "driver" ? { uiUrl: ownUrl } : { historyUrl: ownUrl };
    if (history === undefined || !hasEndedAsApplication(application)) return {};
    return { historyUrl: `${history}/history/${appId}/jobs/` };
  };
}

/** Returns whether an application has ended, and can have written an event log. */
function hasEndedAsApplication({ record: { end, appId } }: GatewayApplication): boolean {
  return end !== undefined && appId !== undefined;
}
