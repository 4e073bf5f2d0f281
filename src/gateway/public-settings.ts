import type { Issue } from "../errors/issue.ts";
import { invalidOption } from "./invalid-option.ts";
import { parsePort, portRange } from "./parse-port.ts";
import type { UiServer } from "./settings.ts";

interface PublicInput {
  /** Prefix of all paths. */
  readonly prefix: string;
  /** Returns the last value of an option. */
  readonly value: (option: "--external-url" | "--ui-port" | "--ui-url") => string | undefined;
}

/** Reads the addresses of the gateway and of the Spark UIs, with every problem. */
export function publicSettings({ prefix, value }: PublicInput): {
  readonly externalUrl: string | undefined;
  readonly ui: UiServer | undefined;
  readonly issues: readonly Issue[];
} {
  const [externalUrl, port, url] = [value("--external-url"), value("--ui-port"), value("--ui-url")];
  const number = port === undefined ? undefined : parsePort(port);
  const issues = [
    ...externalIssues(externalUrl, prefix),
    ...(port !== undefined && number === undefined ? [invalidOption("--ui-port", port, portRange)] : []),
    ...uiUrlIssues({ url, port, externalUrl }),
  ];
  const isValid = issues.length === 0;
  return {
    externalUrl: isValid ? externalUrl : undefined,
    ui: isValid && number !== undefined ? { port: number, url } : undefined,
    issues,
  };
}

const urlForm = /^https?:\/\/[^/\s?#@\\]+(\/[^\s?#\\]*)?$/;

function externalIssues(url: string | undefined, prefix: string): readonly Issue[] {
  if (url === undefined) return [];
  const option = "--external-url";
  if (!urlForm.test(url) || !URL.canParse(url))
    return [invalidOption(option, url, "a URL such as https://gateway.example/spark")];
  const path = new URL(url).pathname.replace(/\/+$/, "");
  return path.endsWith(prefix)
    ? []
    : [invalidOption(option, url, `a URL whose path ends with ${prefix}, the --prefix`)];
}

interface UiUrlInput {
  readonly url: string | undefined;
  readonly port: string | undefined;
  readonly externalUrl: string | undefined;
}

function uiUrlIssues({ url, port, externalUrl }: UiUrlInput): readonly Issue[] {
  const option = "--ui-url";
  if (url === undefined)
    return port === undefined || externalUrl === undefined
      ? []
      : [invalidOption("--ui-port", port, "a port together with --ui-url, because of --external-url")];
  if (port === undefined) return [invalidOption(option, url, "a URL together with --ui-port")];
  if (!urlForm.test(url) || !URL.canParse(url) || new URL(url).pathname !== "/")
    return [invalidOption(option, url, "a URL without a path, such as https://spark-ui.example")];
  const isShared =
    externalUrl !== undefined && URL.canParse(externalUrl) && new URL(externalUrl).origin === new URL(url).origin;
  return isShared ? [invalidOption(option, url, "another host or port than that of --external-url")] : [];
}
