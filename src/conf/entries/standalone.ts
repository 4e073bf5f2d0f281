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
