import type { Subject } from "kubernetes-types/rbac/v1.d.ts";
import { nearestName } from "../conf/nearest-name.ts";
import { type Issue, issue } from "../errors/issue.ts";
import { throwIssues } from "../errors/submit-error.ts";
import { isDnsLabel, isDnsSubdomain } from "../values/dns-name.ts";
import type { NamespaceSetup } from "./namespace-objects.ts";
import { type FeatureName, featureNames } from "./permissions.ts";
import { parseQuota } from "./quota.ts";
import { accountSubject, parseSubject } from "./subject.ts";

/** Options of a set-up with a value, as the user writes them. */
export const setupOptions = {
  driverAccount: "--service-account",
  executorAccount: "--executor-service-account",
  submitter: "--submitter",
  allow: "--allow",
  quota: "--quota",
} as const;

type SetupOption = (typeof setupOptions)[keyof typeof setupOptions];

interface SetupTexts {
  readonly namespace: string;
  /** Returns the values of an option, in order. */
  readonly values: (option: SetupOption) => readonly string[];
  readonly isIsolated: boolean;
}

/** Description of the allowed names. */
export const namespaceNames = "lowercase letters, digits and -, at most 63 characters";
const objectNames = "lowercase letters, digits, - and ., at most 253 characters";

/** Parses the options of a set-up. @throws SubmitError `SUBMIT_ERR_ARG_VALUE`: all problems together */
export function parseSetup({ namespace, values, isIsolated }: SetupTexts): NamespaceSetup {
  const issues: Issue[] = [];
  const reject = (option: string, value: string, allowed: string) =>
    issues.push(issue("SUBMIT_ERR_ARG_VALUE", { option, value, allowed }));
  if (!isDnsLabel(namespace)) reject("setup namespace", namespace, namespaceNames);
  const accounts = parseAccounts({ namespace, values, reject });
  const quotaText = values(setupOptions.quota).at(-1);
  const quota = quotaText === undefined ? undefined : parseQuota(quotaText);
  if (quotaText !== undefined && quota === undefined)
    reject(setupOptions.quota, quotaText, "NAME=QUANTITY, separated by commas, e.g. cpu=20,memory=64Gi,pods=50");
  const names = values(setupOptions.allow).flatMap((text) => text.split(","));
  issues.push(...names.filter((name) => !isFeature(name)).map(unknownFeature));
  throwIssues(issues);
  return { namespace, ...accounts, features: featureNames.filter((name) => names.includes(name)), quota, isIsolated };
}

interface AccountTexts extends Pick<SetupTexts, "namespace" | "values"> {
  readonly reject: (option: SetupOption, value: string, allowed: string) => void;
}

function parseAccounts({ namespace, values, reject }: AccountTexts) {
  const driverAccount = values(setupOptions.driverAccount).at(-1) ?? "spark";
  const executorAccount = values(setupOptions.executorAccount).at(-1);
  const defaultSubmitter = `${driverAccount}-submitter`;
  // The names of the roles are as long as that of the submitter.
  if (!isDnsSubdomain(driverAccount) || !isDnsSubdomain(defaultSubmitter))
    reject(setupOptions.driverAccount, driverAccount, objectNames);
  const named = values(setupOptions.submitter).map((text): Subject | undefined => {
    const subject = parseSubject(text, namespace);
    const forms = "user:NAME, group:NAME, serviceaccount:NAME, serviceaccount:NAMESPACE:NAME";
    if (subject === undefined) reject(setupOptions.submitter, text, forms);
    return subject;
  });
  const submitters = named.length === 0 ? [accountSubject(namespace, defaultSubmitter)] : named.filter(isDefined);
  if (executorAccount === undefined) return { driverAccount, executorAccount, submitters };
  const others = [accountSubject(namespace, driverAccount), ...submitters];
  if (!isDnsSubdomain(executorAccount)) reject(setupOptions.executorAccount, executorAccount, objectNames);
  else if (others.some((other) => other.name === executorAccount && other.namespace === namespace))
    reject(setupOptions.executorAccount, executorAccount, "another account than those of drivers and submitters");
  return { driverAccount, executorAccount, submitters };
}

function isDefined<T>(value: T | undefined): value is T {
  return value !== undefined;
}

function isFeature(name: string): name is FeatureName {
  return featureNames.some((known) => known === name);
}

function unknownFeature(value: string): Issue {
  const nearest = nearestName(value, featureNames);
  return issue("SUBMIT_ERR_ARG_VALUE", {
    option: setupOptions.allow,
    value,
    allowed: featureNames.join(", "),
    nearest,
  });
}
