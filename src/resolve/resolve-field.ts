import { decidingSetting, type Setting, type SettingOrigin } from "../conf/setting.ts";
import type { CommandLineSettings } from "../plan/invocation.ts";
import { type FieldName, submitField } from "../plan/submit-fields.ts";

/** Value of a field, and its origin. */
export interface FieldValue {
  readonly value: string;
  readonly origin: SettingOrigin;
}

/** Sources of a field's value. */
export interface FieldInputs {
  readonly commandLine: Pick<CommandLineSettings, "fields">;
  readonly settings: ReadonlyMap<string, Setting>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Resolves a field from its option, else its setting, else its environment variable; `undefined` if none specifies it. */
export function resolveField(name: FieldName, { commandLine, settings, env }: FieldInputs): FieldValue | undefined {
  const option = commandLine.fields[name];
  if (option !== undefined) return { value: option, origin: { kind: "option", option: name } };
  const { entry, variable } = submitField(name);
  const setting = entry && decidingSetting(settings, entry);
  if (setting !== undefined || variable === undefined) return setting;
  const value = env[variable];
  return value === undefined ? undefined : { value, origin: { kind: "environment", variable } };
}
