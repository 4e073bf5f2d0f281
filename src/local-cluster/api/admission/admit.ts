import type { Draft } from "../object.ts";
import type { ApiScope, Call } from "../verbs/call.ts";
import { admitNamespace } from "./namespace-lifecycle.ts";
import { admitPod } from "./pod.ts";

/** What may be created, and what is added to it, beyond the rules of its kind; in the order of a Kubernetes server. */
export function admitCreation(api: ApiScope, call: Call, draft: Draft): void {
  admitNamespace(api, call, draft);
  if (call.kind.collection === "pods") admitPod(api, call, draft);
}
