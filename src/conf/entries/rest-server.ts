import { optionalEntry } from "../entry.ts";
import { text } from "../kinds.ts";

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
