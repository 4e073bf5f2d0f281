import type { Volume } from "../../kube/types.ts";
import type { CauseName } from "../causes.ts";
import type { Evidence } from "../diagnosis.ts";
import { eventEvidence } from "../evidence.ts";
import type { Finding, Rule } from "../rule.ts";
import { keys, keyWithin } from "../settings.ts";
import { configTexts } from "../start-texts.ts";
import { sentence, type View } from "../view.ts";
import { isBeforeSandbox, isMissedForLong, isOfSubmission } from "./volumes.ts";

/** ConfigMap or Secret that the pod needs and that does not exist, or lacks a key. */
interface Missing {
  readonly match: RegExpExecArray;
  readonly evidence: readonly Evidence[];
  readonly text: string;
}

interface Row {
  readonly cause: CauseName;
  /** Pattern in the status of a container that needs the object as environment. */
  readonly pattern: RegExp;
  readonly remedy: string;
  readonly explain: (missing: Missing, view: View) => Pick<Finding, "message" | "nextStep" | "key">;
}

const rows: readonly Row[] = [
  {
    cause: "secret-key-missing",
    pattern: /couldn't find key (\S+) in Secret (?:[^/\s]+\/)?(\S+)|references non-existent secret key: (\S+)/,
    remedy: "Add the key to the secret, or correct the name of the key.",
    explain: (missing, view) => keyMessage(missing, view, "secret"),
  },
  {
    cause: "config-map-key-missing",
    pattern: /couldn't find key (\S+) in ConfigMap (?:[^/\s]+\/)?(\S+)|references non-existent config key: (\S+)/,
    remedy: "Add the key to the ConfigMap, or correct the pod template.",
    explain: (missing, view) => keyMessage(missing, view, "ConfigMap"),
  },
  {
    cause: "secret-missing",
    pattern: /secrets? "([^"]+)" not found/,
    remedy: "Create the secret, or correct its name.",
    explain: ({ match: [, name = ""] }, view) => ({
      message: `The secret ${name} does not exist in ${view.driver?.namespace ?? ""}.`,
      nextStep: isOfSubmission(name, view)
        ? "Submit again: the submission was cut short."
        : `Create the secret ${name}, or correct its name.`,
      key: secretKey(name, view),
    }),
  },
  {
    cause: "config-map-missing",
    pattern: /configmaps? "([^"]+)" not found/,
    remedy: "Create the ConfigMap; where it is one of the submission itself, submit again.",
    explain: ({ match: [, name = ""] }, view) => ({
      message: `The ConfigMap ${name}${isOfSubmission(name, view) ? " with the settings of the driver" : ""} does not exist in ${view.driver?.namespace ?? ""}.`,
      nextStep: isOfSubmission(name, view)
        ? "Submit again: the submission was cut short."
        : `Create the ConfigMap ${name}, or correct its name in the pod template.`,
      key: isOfSubmission(name, view) ? undefined : keys.template,
    }),
  },
];

function keyMessage({ match, text }: Missing, view: View, kind: string) {
  const [, key, object, mountedKey] = match;
  const volume = /for volume "([^"]+)"/.exec(text)?.[1];
  const mounted = view.driver?.spec.volumes?.find(({ name }) => name === volume);
  const name = object ?? (mounted && sourceWith(mounted, mountedKey)) ?? volume ?? "";
  return {
    message: `The ${kind} ${name} has no key ${key ?? mountedKey ?? ""}.`,
    key: secretKey(name, view),
  };
}

/** Finds the Secret or ConfigMap from which a volume reads a key. */
function sourceWith({ secret, configMap, projected }: Volume, key: string | undefined): string | undefined {
  const parts = (projected?.sources ?? []).flatMap(({ secret, configMap }) => secret ?? configMap ?? []);
  const part = parts.find(({ items = [] }) => items.some((item) => item.key === key));
  return secret?.secretName ?? configMap?.name ?? part?.name;
}

function secretKey(name: string, { properties }: View): string {
  return (
    keyWithin(properties, keys.driverSecretKeyRef, (value) => value.startsWith(`${name}:`)) ??
    keyWithin(properties, keys.driverSecret, (_value, secret) => secret === name) ??
    keys.template
  );
}

function missingIn(view: View, pattern: RegExp): Missing | undefined {
  const { driver } = view;
  if (driver === undefined) return undefined;
  for (const { text, evidence } of configTexts(driver)) {
    const match = pattern.exec(text);
    if (match !== null) return { match, text, evidence };
  }
  if (!isBeforeSandbox(driver)) return undefined;
  for (const event of driver.events.filter(({ reason }) => reason === "FailedMount")) {
    const { message: text = "" } = event;
    const match = pattern.exec(text);
    if (match !== null && isMissedForLong(event, match[1] ?? "", view) && !/kube-root-ca\.crt/.test(text))
      return { match, text, evidence: [eventEvidence(event)] };
  }
  return undefined;
}

const runAsRoot: Rule = {
  cause: "run-as-non-root",
  seen: "status of the waiting container (`CreateContainerConfigError`)",
  remedy: "Set runAsUser to a user other than 0, e.g. 185, in the pod template or the image.",
  find: ({ driver }) => {
    const found =
      driver &&
      configTexts(driver).find(({ text }) => /non-root policy|runAsNonRoot|run as (?:root|non-root)/i.test(text));
    return (
      found && {
        message: `The pod requires a user other than root (runAsNonRoot), and the container ${found.container.name} would run as root: ${sentence(found.text.replace(/ \(pod: .*$/s, ""))}.`,
        key: keys.template,
        evidence: found.evidence,
      }
    );
  },
};

/** Rules for ConfigMaps, Secrets and users that a container needs before its creation. */
export const objectRules: readonly Rule[] = [
  runAsRoot,
  ...rows.map(
    ({ cause, pattern, remedy, explain }): Rule => ({
      cause,
      seen: "status of the waiting container (`CreateContainerConfigError`) or the event `FailedMount`",
      remedy,
      find: (view) => {
        const missing = missingIn(view, pattern);
        return missing && { ...explain(missing, view), evidence: missing.evidence };
      },
    }),
  ),
];
