/** Extent of the preparation of a submission: `complete` downloads and builds what is missing, `cached` only uses what exists. */
export type Provision = "complete" | "cached";
