import type { Draft } from "../object.ts";
import type { ApiScope, Call } from "../verbs/call.ts";

/** Who wrote what: the new state's entries of managedFields. */
export function recordUpdate(
  _api: ApiScope,
  _call: Call,
  { next, old }: { next: Draft; old: Draft | undefined; manager: string | undefined },
): void {
  if (old?.metadata.managedFields === undefined) delete next.metadata.managedFields;
  else next.metadata.managedFields = old.metadata.managedFields;
}
