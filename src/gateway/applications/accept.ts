import type { Issue } from "../../errors/issue.ts";
import { isSubmitError, messageOf } from "../../errors/submit-error.ts";
import { isTransient } from "../../kube/is-transient.ts";
import type { Demand } from "../../plan/minimum-demand.ts";
import { type NewApplication, retryAfterSeconds, type SubmitResult } from "../model/applications.ts";
import { separateForbidden } from "../submit/separate-forbidden.ts";
import { checkSubmission } from "../submit/submit-driver.ts";
import { newEntry, toApplication } from "./entry.ts";
import { newRecord, requestDigest } from "./new-record.ts";
import { type Accept, onePerIdentity } from "./one-per-identity.ts";
import { type ApplicationsScope, report } from "./scope.ts";
import { traceAcceptance } from "./trace-attempt.ts";

interface AcceptCall {
  readonly scope: ApplicationsScope;
  /** Namespace of applications that name none. */
  readonly namespace: string;
  /** Namespaces that applications may use; `undefined` for all. */
  readonly namespaces: readonly string[] | undefined;
  readonly nextNumber: () => Promise<number>;
}

/** Returns the function that accepts applications. Of concurrent requests with one identity, one is accepted, and the others find it. */
export function acceptor(call: AcceptCall): Accept {
  return onePerIdentity((application) => accept(call, application));
}

async function accept(
  { scope, namespace, namespaces, nextNumber }: AcceptCall,
  application: NewApplication,
): Promise<SubmitResult> {
  const { host, store, index, dispatcher, log } = scope;
  const startMs = host.clock.now();
  const known = findKnown(scope, application);
  if (known !== undefined) return known;
  try {
    const { issues, demand } = await check({ scope, namespace, namespaces }, application);
    const { toleratedIssues = [] } = application;
    if (issues.some(({ code }) => !toleratedIssues.includes(code))) return { kind: "rejected", issues };
    const number = await nextNumber();
    const record = {
      ...newRecord(application, { host, number, namespace }),
      ...(demand !== undefined && { demand }),
    };
    if (!(await store.create(record))) {
      // A record that this process does not know was stored late, and is removed.
      if (index.get(record.key) === undefined) throw new Error(`Another process has stored ${record.key}.`);
      return { kind: "conflict", with: "id", id: record.id };
    }
    traceAcceptance(scope, record, startMs);
    const entry = { ...newEntry(record), canHaveDriver: false };
    index.add(entry);
    report(scope, entry);
    dispatcher.add(entry);
    return { kind: "accepted", application: toApplication(entry) };
  } catch (error) {
    log("WARN", "An application cannot be accepted.", { reason: messageOf(error) });
    if (isSubmitError(error) && !isTransient(error)) return { kind: "rejected", issues: error.issues };
    return { kind: "unavailable", reason: messageOf(error), retryAfterSeconds };
  }
}

/** Every problem of an application, and the least resources of one without problems. */
interface Checked {
  readonly issues: readonly Issue[];
  readonly demand: Demand | undefined;
}

/** Checks an application without storing it. */
export async function check(
  { scope: { host, submitter }, namespace, namespaces }: Omit<AcceptCall, "nextNumber">,
  application: NewApplication,
): Promise<Checked> {
  const { forbidden, permitted } = separateForbidden(application.submission, namespaces);
  const draft = newRecord({ ...application, submission: permitted }, { host, number: 0, namespace });
  const demand = await checkSubmission(submitter, draft);
  return demand.ok
    ? { issues: forbidden, demand: demand.value }
    : { issues: [...forbidden, ...demand.issues], demand: undefined };
}

/** Finds the application that a request repeats, or with which it conflicts. */
function findKnown({ index }: ApplicationsScope, application: NewApplication): SubmitResult | undefined {
  const { protocol, id, idempotencyKey, owner, name, hasUniqueName = false, isNameReusable = false } = application;
  const byId = id === undefined ? undefined : index.find(protocol, id);
  const byKey = idempotencyKey === undefined ? undefined : index.findRequest(protocol, owner, idempotencyKey);
  const known = byId ?? byKey;
  if (known !== undefined) {
    // The operator repeats a request with its settings in another order.
    const isSame = protocol === "submitter" || known.record.requestDigest === requestDigest(application);
    if (isSame) return { kind: "repeated", application: toApplication(known) };
    return { kind: "conflict", with: byId === undefined ? "idempotencyKey" : "id", id: known.record.id };
  }
  const named = hasUniqueName && name !== undefined ? index.findName(protocol, name) : undefined;
  if (named === undefined || (isNameReusable && named.end !== undefined)) return undefined;
  return { kind: "conflict", with: "name", id: named.record.id };
}
