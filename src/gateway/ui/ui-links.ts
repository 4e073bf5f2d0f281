import { uiEnabledKey } from "../../conf/entries/spark-ui.ts";
import type { GatewayApplication } from "../model/application.ts";

/** Addresses of pages about an application. */
export interface UiLinks {
  /** Path of the Spark UI of a running application, with the prefix of the gateway. */
  readonly uiUrl?: string;
  /** URL of an ended application on the history server. */
  readonly historyUrl?: string;
}

/** Returns the links of an application. */
export type LinksOf = (application: GatewayApplication) => UiLinks;

interface LinkSettings {
  /** Path at which the Spark UIs are served, without a slash at its end; `undefined` if they are not. */
  readonly uiRoot: string | undefined;
  /** URL of the history server. */
  readonly historyServer: string | undefined;
}

/** Path of a Spark UI, with the key of its application and the path in the UI. */
export const uiPathForm = /^\/applications\/([^/]+)\/ui(\/.*)?$/;

/** Path of the Spark UI of an application below the root of the UIs. */
export function uiPath(key: string): string {
  return `/applications/${key}/ui`;
}

/** Returns the links of applications as far as the gateway serves or knows their pages. */
export function uiLinks({ uiRoot, historyServer }: LinkSettings): LinksOf {
  const history = historyServer?.replace(/\/+$/, "");
  return ({ record, state }) => {
    const { key, appId, end, submission } = record;
    const hasUi = uiRoot !== undefined && state === "running" && submission.settings[uiEnabledKey] !== "false";
    const hasHistory = history !== undefined && end !== undefined && appId !== undefined;
    return {
      ...(hasUi && { uiUrl: `${uiRoot}${uiPath(key)}/` }),
      ...(hasHistory && { historyUrl: `${history}/history/${appId}/jobs/` }),
    };
  };
}
