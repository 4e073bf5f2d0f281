import { decidingSetting, type Setting, type SettingOrigin } from "../conf/setting.ts";
import type { CommandLineSettings } from "../plan/invocation.ts";
import { type FieldName, submitField } from "../plan/submit-fields.ts";

/** The text of a field, and where it came from. */
export interface FieldValue {
  readonly value: string;
  readonly origin: SettingOrigin;
}

/** Where a field can be told. */
export interface FieldInputs {
  readonly given: Pick<CommandLineSettings, "fields">;
  readonly settings: ReadonlyMap<string, Setting>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A field as it was told: by its option, else by its setting, else by its environment variable. */
export function resolveField(name: FieldName, { given, settings, env }: FieldInputs): FieldValue | undefined {
  const option = given.fields[name];
  if (option !== undefined) return { value: option, origin: { kind: "option", option: name } };
  const { entry, variable } = submitField(name);
  const setting = entry && decidingSetting(settings, entry);
  if (setting !== undefined || variable === undefined) return setting;
  const value = env[variable];
  return value === undefined ? undefined : { value, origin: { kind: "environment", variable } };
}
