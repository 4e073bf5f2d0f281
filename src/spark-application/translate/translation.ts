import type { Role } from "../../conf/entry.ts";
import type { Setting } from "../../conf/setting.ts";
import type { Issue } from "../../errors/issue.ts";
import type { KubeResource } from "../../kube/types.ts";
import type { FieldName } from "../../plan/submit-fields.ts";
import type { UserStep } from "../../spec/user-steps/user-step.ts";
import type { ApplicationSpec } from "../application.ts";
import type { OperatorOptions } from "../operator-options.ts";

/** Input of a translation: an application with defaults. */
export interface TranslationInput {
  /** Path of the file, for messages. */
  readonly file: string;
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: ApplicationSpec;
  /** Fields without defaults. */
  readonly specified: Pick<ApplicationSpec, "driver" | "executor">;
  readonly options: OperatorOptions;
  /** Returns the MD5 sum of a text in hexadecimal digits. */
  readonly md5: (text: string) => string;
}

/** A submission that is equivalent to an application. */
export interface Translation {
  readonly fields: Readonly<Partial<Record<FieldName, string>>>;
  readonly settings: readonly Setting[];
  readonly resource: string;
  readonly appArgs: readonly string[];
  /** Pod templates as JSON; `undefined` if the role needs none. */
  readonly templates: Readonly<Record<Role, string | undefined>>;
  /** Changes the finished pod of the driver, and adds the further objects. */
  readonly driverStep: UserStep;
  /** Returns the further objects of a run. */
  readonly objects: (appId: string) => readonly KubeResource[];
  /** Sentences about fields that have no effect, or another one than with the operator. */
  readonly warnings: readonly string[];
  readonly issues: readonly Issue[];
}

/** Returns the fields of a role. */
export function roleFields({ spec }: Pick<TranslationInput, "spec">, role: Role) {
  return role === "driver" ? spec.driver : spec.executor;
}
