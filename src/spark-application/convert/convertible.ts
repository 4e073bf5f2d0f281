import { fieldKeys, optionKeys } from "../../conf/entries/spark-application.ts";
import type { Role } from "../../conf/entry.ts";
import type { Setting } from "../../conf/setting.ts";
import { type FieldName, submitField } from "../../plan/submit-fields.ts";
import type { LifetimeFields } from "../state/status.ts";

/** A submission from which every form can be written. */
export interface Convertible {
  readonly name: string | undefined;
  readonly master: string | undefined;
  readonly deployMode: "client" | "cluster";
  readonly mainClass: string | undefined;
  readonly proxyUser: string | undefined;
  readonly resource: string;
  readonly appArgs: readonly string[];
  /** Settings by key, also those of options. */
  readonly settings: ReadonlyMap<string, string>;
  /** Contents of pod templates. */
  readonly templates: Readonly<Record<Role, unknown>>;
  readonly lifetime: LifetimeFields;
}

/** A converted application, and sentences about what it cannot express. */
export interface Converted<T> {
  readonly result: T;
  readonly notes: readonly string[];
}

/** Options and settings of a submission. */
interface SubmissionParts {
  readonly fields: Readonly<Partial<Record<FieldName, string>>>;
  readonly settings: readonly Setting[];
  readonly resource: string;
  readonly appArgs: readonly string[];
  readonly templates?: Readonly<Record<Role, unknown>>;
  readonly lifetime?: LifetimeFields;
}

/** Fields that have no setting, or whose setting is not part of the application. */
const ownFields: readonly FieldName[] = ["master", "remote", "deployMode", "mainClass", "name", "proxyUser"];

/** Settings about the submission, not about the application. */
const dropped: readonly string[] = [
  fieldKeys.waitAppCompletion,
  ...Object.values(optionKeys.submission),
  ...(["driver", "executor"] as const).flatMap((role) => [fieldKeys[role].template, fieldKeys[role].templateContainer]),
];

/** Brings options and settings into one form: options become their settings, which they take precedence over. */
export function toConvertible({
  fields,
  settings,
  resource,
  appArgs,
  templates,
  lifetime = {},
}: SubmissionParts): Convertible {
  const values = new Map(settings.map(({ key, value }) => [key, value]));
  const name = fields.name ?? values.get(optionKeys.submission.name);
  const master = fields.master ?? values.get(optionKeys.submission.master);
  const mode = fields.deployMode ?? values.get(optionKeys.submission.deployMode);
  for (const [field, value] of fieldEntries(fields)) {
    const key = ownFields.includes(field) ? undefined : submitField(field).entry?.key;
    if (key !== undefined) values.set(key, value);
  }
  for (const key of dropped) values.delete(key);
  for (const key of redundantKeys(values)) values.delete(key);
  return {
    ...{ name, master, mainClass: fields.mainClass, proxyUser: fields.proxyUser, resource, appArgs, lifetime },
    // A command without a deploy mode becomes an application that runs unattended.
    deployMode: mode === "client" ? "client" : "cluster",
    settings: values,
    templates: templates ?? { driver: undefined, executor: undefined },
  };
}

/** Lists the images of roles that are the common one. */
function redundantKeys(values: ReadonlyMap<string, string>): readonly string[] {
  const image = values.get(fieldKeys.image);
  return [fieldKeys.driver.image, fieldKeys.executor.image].filter((key) => values.get(key) === image);
}

/** Returns the settings without a name of the driver's pod that files of applications imply. */
export function withoutUsualPodName({ settings, name }: Convertible): ReadonlyMap<string, string> {
  const isUsual = settings.get(fieldKeys.podName) === `${name}-driver`;
  return new Map([...settings].filter(([key]) => !isUsual || key !== fieldKeys.podName));
}

function fieldEntries(fields: SubmissionParts["fields"]): readonly (readonly [FieldName, string])[];
function fieldEntries(fields: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(fields);
}
