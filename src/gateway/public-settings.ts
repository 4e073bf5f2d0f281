import { type Issue, issue } from "../errors/issue.ts";

interface PublicInput {
  /** Prefix of all paths. */
  readonly prefix: string;
  /** Returns the last value of an option. */
  readonly value: (option: "--external-url") => string | undefined;
}

/** Reads the address under which clients reach a gateway behind a proxy, with the problem of an invalid one. */
export function publicSettings({ prefix, value }: PublicInput): {
  readonly externalUrl: string | undefined;
  readonly issues: readonly Issue[];
} {
  const text = value("--external-url");
  if (text === undefined) return { externalUrl: undefined, issues: [] };
  const invalid = (allowed: string) => {
    const fields = { option: "--external-url", value: text, allowed };
    return { externalUrl: undefined, issues: [issue("SUBMIT_ERR_ARG_VALUE", fields)] };
  };
  if (!/^https?:\/\/[^/\s?#@\\]+(\/[^\s?#\\]*)?$/.test(text) || !URL.canParse(text))
    return invalid("a URL such as https://gateway.example/spark");
  const { pathname } = new URL(text);
  if (!pathname.replace(/\/+$/, "").endsWith(prefix))
    return invalid(`a URL whose path ends with ${prefix}, the --prefix`);
  return { externalUrl: text, issues: [] };
}
