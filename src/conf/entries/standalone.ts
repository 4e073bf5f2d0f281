import { entry, optionalEntry } from "../entry.ts";
import { boolean, text } from "../kinds.ts";

export const standaloneWaitAppCompletion = entry(boolean, {
  key: "spark.standalone.submit.waitAppCompletion",
  doc: "Wait for the end of an application that a standalone master runs in cluster mode.",
  since: "3.1.0",
  default: "false",
});

export const restTokenFile = optionalEntry(text, {
  key: "spark.firesteel.rest.tokenFile",
  doc: "File with the token for a standalone master's REST gateway that a filter guards, e.g. `org.apache.spark.ui.JWSFilter`.",
  since: "firesteel",
});

export const masterRestFilters = optionalEntry(text, {
  key: "spark.master.rest.filters",
  doc: "Filters of the REST gateway, for `firesteel gateway`: `org.apache.spark.ui.JWSFilter` requires a signed JSON web token of each request.",
  since: "4.0.0",
  raw: true,
});

export const masterRestTokenKey = optionalEntry(text, {
  key: "spark.org.apache.spark.ui.JWSFilter.param.secretKey",
  doc: "Key of the tokens that `org.apache.spark.ui.JWSFilter` accepts, as Base64 for URLs: at least 32 bytes.",
  since: "4.0.0",
  raw: true,
});
