import type { ProblemIssue } from "./api.ts";

/** Texts of the form by the name of their field. */
export type FormTexts = Readonly<Record<FormField, string>>;

/** A field of the form; the names are those of the API. */
export type FormField = "name" | "app" | "class" | "args" | "image" | "namespace" | "conf";

export const emptyForm: FormTexts = { name: "", app: "", class: "", args: "", image: "", namespace: "", conf: "" };

/** A problem of a form, at a field if it is known. */
export interface FormProblem {
  readonly field: FormField | undefined;
  readonly message: string;
}

/**
 * Converts the texts of a form to an application: one argument or setting per line. Problems: required fields that are empty, lines of
 * settings without `=`.
 */
export function readForm(texts: FormTexts): { readonly body: object; readonly problems: readonly FormProblem[] } {
  const settings = linesOf(texts.conf).map((line) => line.split(/=(.*)/s, 2).map((part) => part.trim()));
  const problems = [
    ...(texts.name.trim() === "" ? [{ field: "name" as const, message: "The name is missing." }] : []),
    ...(texts.app.trim() === "" ? [{ field: "app" as const, message: "The main file is missing." }] : []),
    ...settings
      .filter(([key, value]) => key === "" || value === undefined)
      .map(([text = ""]) => ({ field: "conf" as const, message: `"${text}" is not a setting: write key=value.` })),
  ];
  const args = linesOf(texts.args);
  const { conf: _, args: __, ...plain } = texts;
  const filled = Object.entries(plain).filter(([, text]) => text.trim() !== "");
  const body = {
    ...Object.fromEntries(filled.map(([field, text]) => [field, text.trim()])),
    ...(args.length > 0 && { args }),
    ...(settings.length > 0 && { conf: Object.fromEntries(settings) }),
  };
  return { body, problems };
}

/** Assigns the problems of a response to the fields of the form. */
export function problemsOf(issues: readonly ProblemIssue[]): readonly FormProblem[] {
  return issues.map(({ message, hint }) => ({
    field: fieldOf(message),
    message: [message.replace(/^the request: /, ""), hint ?? ""].join(" ").trim(),
  }));
}

const fieldNames: readonly FormField[] = ["name", "app", "class", "args", "image", "namespace", "conf"];

function fieldOf(message: string): FormField | undefined {
  const [, name] = /^the request: ([a-z]+)\b/.exec(message) ?? [];
  return fieldNames.find((field) => field === name) ?? (/\bspark\.[\w.]+/.test(message) ? "conf" : undefined);
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}
