import { type Issue, issue } from "../errors/issue.ts";

/** Reports a principal without a keytab, and the reverse. `login` has their values by the names of the settings. */
export function incompleteLoginIssues(login: Readonly<Record<string, string | undefined>>): readonly Issue[] {
  const missing = Object.keys(login).filter((name) => login[name] === undefined);
  return missing.length === 1 ? [issue("SUBMIT_ERR_KEYTAB_INCOMPLETE", { missing: missing.join() })] : [];
}
