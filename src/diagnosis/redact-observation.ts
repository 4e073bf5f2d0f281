import type { Pod } from "../kube/types.ts";
import { isFields } from "../values/fields.ts";
import { type RedactionRule, redactedText } from "../values/redaction.ts";
import type { Observation, ObservedPod } from "./observation.ts";
import { hideSecrets, isSecretArgument, isSecretSetting, type Secrets, secretRule, secretsOf } from "./secrets.ts";

/** Functions that remove the secrets of one application from what is stored about it. */
export interface Redactor {
  readonly text: (text: string) => string;
  /** Also removes `managedFields`, which repeat each field without a value. */
  readonly object: <T>(object: T) => T;
  readonly observation: (observation: Observation) => Observation;
}

/** Builds the functions for the secrets of an observation and of further pods. */
export function redactorOf(facts: Observation, others: readonly Pod[] = []): Redactor {
  const secrets = secretsOf(facts, others);
  const rule = secretRule(facts.properties);
  const text = (one: string) => hideSecrets(one, secrets);
  const object = <T>(one: T): T => redacted(one, { rule, secrets });
  const pod = (one: ObservedPod): ObservedPod => ({
    ...{ pod: object(one.pod), isDeleted: one.isDeleted },
    logs: Object.fromEntries(
      Object.entries(one.logs).map(([name, lines]) => [
        name,
        lines.map(({ at, text: line }) => ({ at, text: text(line) })),
      ]),
    ),
  });
  return {
    ...{ text, object },
    observation: ({ driver, executors, properties, events, objects, rejection, now }) => ({
      ...{ now, executors: executors.map(pod), events: object(events), objects: object(objects) },
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, value]) => [
          key,
          isSecretSetting(rule, key) ? redactedText : text(value),
        ]),
      ),
      ...(driver !== undefined && { driver: pod(driver) }),
      ...(rejection !== undefined && { rejection: object(rejection) }),
    }),
  };
}

interface Redaction {
  readonly rule: RedactionRule | undefined;
  readonly secrets: Secrets;
}

/** Copies a JSON value without its secrets. The copy has the type of the value, because only strings change. */
function redacted<T>(value: T, redaction: Redaction): T;
function redacted(value: unknown, redaction: Redaction): unknown {
  if (typeof value === "string") return hideSecrets(value, redaction.secrets);
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) =>
      typeof item === "string" && isSecretArgument(value[index - 1]) ? redactedText : redacted(item, redaction),
    );
  }
  if (!isFields(value)) return value;
  const isVariable = typeof value["name"] === "string" && redaction.rule?.test(value["name"]) === true;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== "managedFields")
      .map(([key, field]) => [
        key,
        isVariable && key === "value" && typeof field === "string" ? redactedText : redacted(field, redaction),
      ]),
  );
}
