import { success } from "../errors/issue.ts";
import { type DependencyUri, parseDependencyUri } from "../values/dependency-uri.ts";
import type { Kind } from "./entry.ts";
import { splitList } from "./kinds.ts";

/** Dependency URIs between commas. */
export const dependencyUris: Kind<readonly DependencyUri[]> = {
  parse: (text) => success(splitList(text).map(parseDependencyUri)),
  print: (uris) => uris.map(({ text }) => text).join(","),
  form: "list",
};
