import type { Container, LimitRangeItem, PodSpec, ResourceRequirements } from "kubernetes-types/core/v1.d.ts";
import { type Amounts, parseAmounts, podAmounts } from "../../../kube/amounts.ts";
import { compareQuantities, parseQuantity, printQuantity, type Quantity } from "../../../values/quantity.ts";
import type { ApiScope, Call } from "../call.ts";
import { isArray, isObject } from "../json.ts";
import type { Draft } from "../object.ts";
import { forbidden } from "../status.ts";
import type { Store, StoredObject } from "../store.ts";

/** Annotation that lists the amounts that limit ranges set in a pod. */
const annotation = "kubernetes.io/limit-ranger";

type Limited = StoredObject & { readonly spec: { readonly limits: readonly LimitRangeItem[] } };

/** Sets the missing requests and limits of containers from the limit ranges of their namespace. */
export function applyLimitDefaults({ store }: ApiScope, { namespace }: Call, pod: Draft): void {
  for (const { spec } of limitRanges(store, namespace)) {
    const items = spec.limits.filter(({ type }) => type === "Container");
    const limits = Object.assign({}, ...items.map((limit) => limit.default));
    const requests = Object.assign({}, ...items.map((limit) => limit.defaultRequest));
    const { containers, initContainers } = containersOf(pod);
    const defaulted = [
      ...containers.flatMap((container) => complete(container, { limits, requests }, "container")),
      ...initContainers.flatMap((container) => complete(container, { limits, requests }, "init container")),
    ];
    if (defaulted.length === 0) continue;
    const { metadata } = pod;
    metadata.annotations = {
      ...metadata.annotations,
      [annotation]: `LimitRanger plugin set: ${defaulted.join("; ")}`,
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

/** Returns the containers of a pod. Clients may send null for empty lists. */
function containersOf(pod: Draft) {
  const { containers, initContainers } = podSpec(pod);
  return { containers: containers ?? [], initContainers: initContainers ?? [] };
}

function complete(
  container: Container,
  defaults: { readonly limits: Record<string, string>; readonly requests: Record<string, string> },
  role: string,
): string[] {
  const resources: ResourceRequirements = container.resources ?? {};
  const defaulted = (["requests", "limits"] as const).flatMap((list) => {
    const own = resources[list] ?? {};
    const missing = Object.keys(defaults[list]).filter((name) => !Object.hasOwn(own, name));
    if (missing.length === 0) return [];
    resources[list] = { ...defaults[list], ...own };
    return [`${missing.sort().join(", ")} ${list.slice(0, -1)} for ${role} ${container.name}`];
  });
  if (defaulted.length > 0) container.resources = resources;
  return defaulted;
}

/**
 * Rejects pods and claims with amounts outside of their namespace's limit ranges.
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

/** The amounts of one object, pod or container that a limit applies to. */
interface Measured {
  readonly requests: Amounts;
  readonly limits: Amounts;
  /** Whether it is a claim, which has requests only. */
  readonly isClaim?: boolean;
}

/** Returns the amounts of an object that limits of `type` apply to. */
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
  for (const [name, minimum] of parseAmounts(min)) {
    faults.push(
      ...minimumFaults(`minimum ${name} usage per ${type} is ${printQuantity(minimum)}`, amounts, {
        name,
        minimum,
      }),
    );
  }
  for (const [name, maximum] of parseAmounts(max)) {
    faults.push(
      ...maximumFaults(`maximum ${name} usage per ${type} is ${printQuantity(maximum)}`, amounts, {
        name,
        maximum,
      }),
    );
  }
  for (const [name, ratio] of Object.entries(maxLimitRequestRatio ?? {})) {
    faults.push(...ratioFaults(`${name} max limit to request ratio per ${type} is ${ratio}`, amounts, { name, ratio }));
  }
  return faults;
}

function isMore(a: Quantity | undefined, b: Quantity | undefined): boolean {
  return a !== undefined && b !== undefined && compareQuantities(a, b) > 0;
}

/** Returns the first fault that applies. */
function firstFault(faults: readonly (string | false)[]): string[] {
  const found = faults.find((fault) => fault !== false);
  return found === undefined ? [] : [found];
}

function minimumFaults(
  text: string,
  { requests, limits }: Measured,
  { name, minimum }: { name: string; minimum: Quantity },
): string[] {
  const [request, limit] = [requests.get(name), limits.get(name)];
  return firstFault([
    request === undefined && `${text}.  No request is specified`,
    isMore(minimum, request) && `${text}, but request is ${shown(request)}`,
    isMore(minimum, limit) && `${text}, but limit is ${shown(limit)}`,
  ]);
}

function maximumFaults(
  text: string,
  { requests, limits, isClaim = false }: Measured,
  { name, maximum }: { name: string; maximum: Quantity },
): string[] {
  const [request, limit] = [requests.get(name), limits.get(name)];
  if (isClaim) {
    return firstFault([
      request === undefined && `${text}.  No request is specified`,
      isMore(request, maximum) && `${text}, but request is ${shown(request)}`,
    ]);
  }
  return firstFault([
    limit === undefined && `${text}.  No limit is specified`,
    isMore(limit, maximum) && `${text}, but limit is ${shown(limit)}`,
    isMore(request, maximum) && `${text}, but request is ${shown(request)}`,
  ]);
}

function ratioFaults(
  text: string,
  { requests, limits }: Measured,
  { name, ratio }: { name: string; ratio: string },
): string[] {
  const request = Number(requests.get(name)?.nano ?? 0n);
  const limit = Number(limits.get(name)?.nano ?? 0n);
  const maxRatio = Number(parseQuantity(ratio)?.nano ?? 0n) / 1e9;
  return firstFault([
    request === 0 && `${text}, but no request is specified or request is 0`,
    limit === 0 && `${text}, but no limit is specified or limit is 0`,
    limit / request > maxRatio && `${text}, but provided ratio is ${(limit / request).toFixed(6)}`,
  ]);
}

function shown(quantity: Quantity | undefined): string {
  return quantity === undefined ? "" : printQuantity(quantity);
}
