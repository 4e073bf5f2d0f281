import { stagingS3Path } from "../../conf/entries/bucket.ts";
import { stagingServer, stagingServerAuthority, stagingServerToken } from "../../conf/entries/localizing.ts";
import type { ErrorCode } from "../../errors/codes.ts";
import { messageOf } from "../../errors/submit-error.ts";
import { isTlsFailure } from "../../net/permanent-error.ts";
import type { SentFile, StagingFacts } from "../fetch/fetch-staging.ts";
import { type Finding, ok, skipped } from "../finding.ts";

/** Reports a staging server or a bucket that would not take the files of this machine. */
export function checkStaging(facts: StagingFacts): readonly Finding[] {
  switch (facts.kind) {
    case "noFiles":
      return [ok("staging", "The driver needs no files of this machine.")];
    case "secret":
      return [ok("staging", "A Secret of the driver contains the files of this machine.")];
    case "push":
      return [skipped("staging", "The files of this machine are sent after the start of the driver's pod.")];
    case "upload":
      return [
        skipped("staging", `Whether the files of this machine can be uploaded to ${facts.directory} was not checked.`),
      ];
    case "bucket":
      return [ok("staging", `${facts.shown} accepts the credentials. Whether they permit uploads was not checked.`)];
    case "server":
      return checkLimits(facts.files, facts.limits);
    case "failed":
      return [failureOf(facts)];
  }
}

type Limits = Extract<StagingFacts, { readonly kind: "server" }>["limits"];

function checkLimits(files: readonly SentFile[], { maxBlobBytes, maxBundleBytes }: Limits): readonly Finding[] {
  const fix =
    "Send less, raise the limit of the server (--max-blob-size, --max-bundle-size), or use another transport.";
  const tooLarge = (what: string, size: number, limit: number): Finding => ({
    ...{ check: "staging", status: "failure", key: stagingServer.key, fix },
    reason: `The staging server accepts at most ${limit} bytes for ${what}, which has ${size}.`,
  });
  const findings = files.flatMap(({ path, size }) =>
    maxBlobBytes !== undefined && size > maxBlobBytes ? [tooLarge(path, size, maxBlobBytes)] : [],
  );
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (findings.length === 0 && maxBundleBytes !== undefined && bytes > maxBundleBytes)
    return [tooLarge("all files of a submission", bytes, maxBundleBytes)];
  return findings.length > 0
    ? findings
    : [ok("staging", "The staging server accepts the files of this machine in this namespace.")];
}

/** Settings that determine the outcome of a request. */
const failureKeys: Partial<Readonly<Record<ErrorCode, string>>> = {
  SUBMIT_ERR_STAGING_REJECTED: stagingServerToken.key,
  SUBMIT_ERR_STAGING_UNREACHABLE: stagingServer.key,
  SUBMIT_ERR_STAGING_S3: stagingS3Path.key,
};

function failureOf({ error, isRepeated }: Extract<StagingFacts, { readonly kind: "failed" }>): Finding {
  const { code, cause, issues } = error;
  const isUntrusted = isTlsFailure(cause);
  const isUnreachable = code === "SUBMIT_ERR_STAGING_UNREACHABLE" && !isUntrusted;
  // The hint of a submission is about an upload that has begun.
  const fix = isUnreachable
    ? "Start the staging server, or correct its address, the DNS or the proxy of this machine."
    : (issues[0].hint ?? "Correct the settings of the staging server.");
  return {
    ...{ check: "staging", status: isRepeated ? "warning" : "failure" },
    key: isUntrusted && code === "SUBMIT_ERR_STAGING_UNREACHABLE" ? stagingServerAuthority.key : failureKeys[code],
    ...{ reason: messageOf(error), fix },
  };
}
