import type { Container, LimitRangeItem, PodSpec, ResourceRequirements } from "kubernetes-types/core/v1.d.ts";
import { compareQuantities, parseQuantity, printQuantity, type Quantity } from "../../../values/quantity.ts";
import { type Amounts, parseAmounts, podAmounts } from "../amounts.ts";
import { isArray, isObject } from "../json.ts";
import type { Draft } from "../object.ts";
import { forbidden } from "../status.ts";
import type { Store, StoredObject } from "../store.ts";
import type { ApiScope, Call } from "../verbs/call.ts";

/** Tells which amounts a pod was given. */
const annotation = "kubernetes.io/limit-ranger";

type Limited = StoredObject & { readonly spec: { readonly limits: readonly LimitRangeItem[] } };

/** Gives containers the requests and limits that their namespace's limit ranges have for those that say nothing. */
export function giveLimits({ store }: ApiScope, { namespace }: Call, pod: Draft): void {
  for (const { spec } of limitRanges(store, namespace)) {
    const given = spec.limits.filter(({ type }) => type === "Container");
    const limits = Object.assign({}, ...given.map((limit) => limit.default));
    const requests = Object.assign({}, ...given.map((limit) => limit.defaultRequest));
    const { containers, initContainers } = containersOf(pod);
    const told = [
      ...containers.flatMap((container) => complete(container, { limits, requests }, "container")),
      ...initContainers.flatMap((container) => complete(container, { limits, requests }, "init container")),
    ];
    if (told.length === 0) continue;
    const { metadata } = pod;
    metadata.annotations = {
      ...metadata.annotations,
      [annotation]: `LimitRanger plugin set: ${told.join("; ")}`,
    };
  }
}

function limitRanges(store: Store, namespace: string | undefined): readonly Limited[] {
  return store.list("limitranges", namespace).filter(isLimited);
}

function isLimited(object: StoredObject): object is Limited {
  return isObject(object["spec"]) && isArray(object["spec"]["limits"]);
}

function podSpec({ spec }: Draft): Partial<PodSpec> {
  return isObject(spec) ? spec : {};
}

/** Lists without items are null in what a client sent. */
function containersOf(pod: Draft) {
  const { containers, initContainers } = podSpec(pod);
  return { containers: containers ?? [], initContainers: initContainers ?? [] };
}

function complete(
  container: Container,
  given: { readonly limits: Record<string, string>; readonly requests: Record<string, string> },
  what: string,
): string[] {
  const resources: ResourceRequirements = container.resources ?? {};
  const told = (["requests", "limits"] as const).flatMap((list) => {
    const own = resources[list] ?? {};
    const missing = Object.keys(given[list]).filter((name) => !(name in own));
    if (missing.length === 0) return [];
    resources[list] = { ...given[list], ...own };
    return [`${missing.sort().join(", ")} ${list.slice(0, -1)} for ${what} ${container.name}`];
  });
  if (told.length > 0) container.resources = resources;
  return told;
}

/**
 * Refuses pods and claims that ask for less or more than their namespace's limit ranges allow.
 *
 * @throws StatusError 403
 */
export function checkLimits({ store }: ApiScope, { kind, namespace }: Call, draft: Draft): void {
  for (const { spec } of limitRanges(store, namespace)) {
    const faults = spec.limits.flatMap((limit) =>
      measured(kind.plural, draft, limit.type).flatMap((amounts) => faultsOf(limit, amounts)),
    );
    const [only] = faults;
    if (only === undefined) continue;
    throw forbidden(kind, draft.metadata.name ?? "", faults.length === 1 ? only : `[${faults.join(", ")}]`);
  }
}

interface Measured {
  readonly requests: Amounts;
  readonly limits: Amounts;
  /** Has no limits: what it requests is what it gets. */
  readonly isClaim?: boolean;
}

/** What of an object a limit of this type is about. */
function measured(plural: string, draft: Draft, type: string): Measured[] {
  if (plural === "persistentvolumeclaims" && type === "PersistentVolumeClaim") {
    const resources = isObject(draft["spec"]) ? draft["spec"]["resources"] : undefined;
    const requests = parseAmounts(isObject(resources) ? resources["requests"] : undefined);
    return [{ requests, limits: new Map(), isClaim: true }];
  }
  if (plural !== "pods") return [];
  const { containers, initContainers } = containersOf(draft);
  if (type === "Pod") {
    const spec = { ...podSpec(draft), containers, initContainers };
    return [{ requests: podAmounts(spec, "requests"), limits: podAmounts(spec, "limits") }];
  }
  if (type !== "Container") return [];
  return [...containers, ...initContainers].map(({ resources }) => ({
    requests: parseAmounts(resources?.requests),
    limits: parseAmounts(resources?.limits),
  }));
}

function faultsOf({ type, min, max, maxLimitRequestRatio }: LimitRangeItem, amounts: Measured): string[] {
  const faults: string[] = [];
  for (const [name, least] of parseAmounts(min)) {
    faults.push(
      ...minimumFaults(`minimum ${name} usage per ${type} is ${printQuantity(least)}`, amounts, {
        name,
        least,
      }),
    );
  }
  for (const [name, most] of parseAmounts(max)) {
    faults.push(
      ...maximumFaults(`maximum ${name} usage per ${type} is ${printQuantity(most)}`, amounts, {
        name,
        most,
      }),
    );
  }
  for (const [name, ratio] of Object.entries(maxLimitRequestRatio ?? {})) {
    faults.push(
      ...ratioFaults(`${name} max limit to request ratio per ${type} is ${ratio}`, amounts, { name, ratio }),
    );
  }
  return faults;
}

function isMore(a: Quantity | undefined, b: Quantity | undefined): boolean {
  return a !== undefined && b !== undefined && compareQuantities(a, b) > 0;
}

/** One fault for each of these at most: the first that applies. */
function credentialChain(faults: readonly (string | false)[]): string[] {
  const found = faults.find((fault) => fault !== false);
  return found === undefined ? [] : [found];
}

function minimumFaults(
  text: string,
  { requests, limits }: Measured,
  { name, least }: { name: string; least: Quantity },
): string[] {
  const [request, limit] = [requests.get(name), limits.get(name)];
  return credentialChain([
    request === undefined && `${text}.  No request is specified`,
    isMore(least, request) && `${text}, but request is ${shown(request)}`,
    isMore(least, limit) && `${text}, but limit is ${shown(limit)}`,
  ]);
}

function maximumFaults(
  text: string,
  { requests, limits, isClaim = false }: Measured,
  { name, most }: { name: string; most: Quantity },
): string[] {
  const [request, limit] = [requests.get(name), limits.get(name)];
  if (isClaim) {
    return credentialChain([
      request === undefined && `${text}.  No request is specified`,
      isMore(request, most) && `${text}, but request is ${shown(request)}`,
    ]);
  }
  return credentialChain([
    limit === undefined && `${text}.  No limit is specified`,
    isMore(limit, most) && `${text}, but limit is ${shown(limit)}`,
    isMore(request, most) && `${text}, but request is ${shown(request)}`,
  ]);
}

function ratioFaults(
  text: string,
  { requests, limits }: Measured,
  { name, ratio }: { name: string; ratio: string },
): string[] {
  const request = Number(requests.get(name)?.nano ?? 0n);
  const limit = Number(limits.get(name)?.nano ?? 0n);
  const most = Number(parseQuantity(ratio)?.nano ?? 0n) / 1e9;
  return credentialChain([
    request === 0 && `${text}, but no request is specified or request is 0`,
    limit === 0 && `${text}, but no limit is specified or limit is 0`,
    limit / request > most && `${text}, but provided ratio is ${(limit / request).toFixed(6)}`,
  ]);
}

function shown(quantity: Quantity | undefined): string {
  return quantity === undefined ? "" : printQuantity(quantity);
}
