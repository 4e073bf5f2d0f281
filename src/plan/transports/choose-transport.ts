import { stagingTransport, type Transport, transports } from "../../conf/entries/localizing.ts";
import { failure, type Result, unlessIssues } from "../../errors/issue.ts";
import { pushRule } from "./push.ts";
import { s3Rule } from "./s3.ts";
import { secretRule } from "./secret.ts";
import { serverRule } from "./server.ts";
import type { TransportInput, TransportRule } from "./transport-rule.ts";

/** Every transport; their order stands in `transports`. */
export const transportRules: Readonly<Record<Transport, TransportRule>> = {
  secret: secretRule,
  server: serverRule,
  s3: s3Rule,
  push: pushRule,
};

/** A transport, and why it is this one. */
export interface ChosenTransport {
  readonly transport: Transport;
  /** The end of a sentence, e.g. `they fit into Secrets (…)`. */
  readonly reason: string;
}

/**
 * Chooses what carries the cargo: what the settings say, else the first of `transports` that can.
 *
 * Errors: SUBMIT_ERR_STAGING_NONE, and those of the transports.
 */
export function chooseTransport(cargo: TransportInput): Result<ChosenTransport> {
  const { key } = stagingTransport;
  const wanted = cargo.conf.get(stagingTransport);
  if (wanted === "none") return failure("SUBMIT_ERR_STAGING_NONE", { key, files: cargo.files });
  if (wanted !== "auto")
    return unlessIssues(transportRules[wanted].check(cargo), {
      transport: wanted,
      reason: `${key} says so`,
    });
  for (const transport of transports) {
    const reason = transportRules[transport].reason(cargo);
    if (reason !== undefined)
      return unlessIssues(transportRules[transport].check(cargo), { transport, reason });
  }
  // What it says names the ways that others would be.
  return unlessIssues(transportRules.secret.check(cargo), { transport: "secret", reason: "" });
}
