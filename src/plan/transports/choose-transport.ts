import { stagingInitImage, stagingTransport, type Transport, transports } from "../../conf/entries/localizing.ts";
import { failure, type Issue, issue, type Result, unlessIssues } from "../../errors/issue.ts";
import { pushRule } from "./push.ts";
import { s3Rule } from "./s3.ts";
import { secretRule } from "./secret.ts";
import { serverRule } from "./server.ts";
import type { TransportInput, TransportRule } from "./transport-rule.ts";

/** Rules of all transports; `transports` has their order. */
export const transportRules: Readonly<Record<Transport, TransportRule>> = {
  secret: secretRule,
  server: serverRule,
  s3: s3Rule,
  push: pushRule,
};

/** Chosen transport, and the reason for the choice. */
interface ChosenTransport {
  readonly transport: Transport;
  /** End of a sentence, e.g. `they fit into Secrets (…)`. */
  readonly reason: string;
}

/**
 * Chooses the transport of the files: the configured one, else the first of `transports` that can transfer them.
 *
 * Errors: SUBMIT_ERR_STAGING_NONE, SUBMIT_ERR_STAGING_NO_INIT_IMAGE, and those of the transports.
 */
export function chooseTransport(input: TransportInput): Result<ChosenTransport> {
  const { key } = stagingTransport;
  const specified = input.conf.get(stagingTransport);
  if (specified === "none") return failure("SUBMIT_ERR_STAGING_NONE", { key, files: input.files });
  if (specified !== "auto")
    return unlessIssues(issuesOf(specified, input), {
      transport: specified,
      reason: `${key} says so`,
    });
  for (const transport of transports) {
    const reason = transportRules[transport].reason(input);
    if (reason !== undefined) return unlessIssues(issuesOf(transport, input), { transport, reason });
  }
  // No transport is available: the issue of this one lists the settings that enable the others.
  return unlessIssues(issuesOf("secret", input), { transport: "secret", reason: "" });
}

function issuesOf(transport: Transport, input: TransportInput): readonly Issue[] {
  const { check, entries } = transportRules[transport];
  const hasImage = !entries.includes(stagingInitImage) || input.conf.has(stagingInitImage);
  const { files } = input;
  return [
    ...check(input),
    ...(hasImage ? [] : [issue("SUBMIT_ERR_STAGING_NO_INIT_IMAGE", { key: stagingInitImage.key, files })]),
  ];
}
