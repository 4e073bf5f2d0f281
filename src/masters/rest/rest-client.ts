import type { Behaviors } from "../../conf/behaviors.ts";
import { redactionRegex } from "../../conf/entries/app.ts";
import { restTokenFile } from "../../conf/entries/standalone.ts";
import type { SparkConf } from "../../conf/spark-conf.ts";
import { traitsOf } from "../../conf/spark-version.ts";
import { allOf, failure, type Result, success } from "../../errors/issue.ts";
import { messageOf } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { Log } from "../../host/log.ts";
import { keytabLogin } from "../../resolve/keytab-login.ts";
import { parseRedactionRule, redact, redactedText } from "../../values/redaction.ts";
import { negotiatingSend } from "./negotiating-send.ts";
import type { RestClient } from "./rest-call.ts";
import type { SendRequest } from "./rest-exchange.ts";
import { restGateways } from "./rest-gateway.ts";

interface RestClientCall {
  readonly host: Host;
  /** Master URL as specified. */
  readonly master: string;
  readonly conf: SparkConf;
  readonly behaviors: Behaviors;
  readonly log: Log;
  readonly send: SendRequest;
}

/** Creates a client. Errors: SUBMIT_ERR_REST_MASTER, SUBMIT_ERR_REST_TOKEN. */
export function restClient({ host, master, conf, behaviors, log, send }: RestClientCall): Result<RestClient> {
  const found = allOf({ gateways: restGateways(master), token: readToken(host, conf) });
  if (!found.ok) return found;
  return success({
    ...{ clock: host.clock, master, log, behaviors, ...found.value },
    send: behaviors.restResponses === "spark" ? send : negotiatingSend(host, keytabLogin(host, conf), send),
    checksAddress: traitsOf(conf.version.line).restChecksAddress,
    redact: withoutSecrets(conf, host.env),
    unreachable: new Set(),
  });
}

function readToken({ files }: Host, conf: SparkConf): Result<string | undefined> {
  const { key } = restTokenFile;
  const path = conf.get(restTokenFile);
  if (path === undefined) return success(undefined);
  try {
    const token = files.readText(path)?.trim();
    if (token === undefined) return failure("SUBMIT_ERR_REST_TOKEN", { key, path, reason: "the file does not exist" });
    return /^[\x21-\x7e]+$/.test(token)
      ? success(token)
      : failure("SUBMIT_ERR_REST_TOKEN", { key, path, reason: "it is not one word of ASCII characters" });
  } catch (error) {
    return failure("SUBMIT_ERR_REST_TOKEN", { key, path, reason: messageOf(error) });
  }
}

// Shorter values would hide much of the output, and are not secrets.
const minSecretLength = 4;

/** Redacts secrets in responses, because a gateway repeats requests that it could not parse. */
function withoutSecrets(conf: SparkConf, env: Host["env"]): (text: string) => string {
  const pattern = conf.text(redactionRegex.key) ?? redactionRegex.defaultText;
  const rule = parseRedactionRule(pattern) ?? parseRedactionRule(redactionRegex.defaultText);
  const sent = [
    ...conf.settings().map(({ key, value }) => [key, value] as const),
    ...Object.entries(env).filter(([name]) => name.startsWith("SPARK_")),
  ];
  const secrets = sent.flatMap(([key, value = ""]) =>
    value.length >= minSecretLength && rule !== undefined && redact(rule, key, value) === redactedText
      ? [escaped(escaped(value)), escaped(value), value]
      : [],
  );
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, redactedText), text);
}

/** Escapes text as in JSON. A message in JSON may contain the JSON that was sent. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
