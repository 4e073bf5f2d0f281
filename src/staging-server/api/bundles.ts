import * as v from "valibot";
import type { ReviewedUser } from "../../kube-client/access-reviews.ts";
import { forEachConcurrent } from "../../net/for-each-concurrent.ts";
import { isEntryName } from "../../staging-client/bundle.ts";
import type { BundleLease, BundleManifest, BundleReceipt } from "../../staging-client/protocol.ts";
import { signToken, type TokenClaims, verifyToken } from "../access/bundle-token.ts";
import { Problem } from "../context/problem.ts";
import type { ServerScope } from "../context/scope.ts";
import { type BundleRecord, entryShape, ownerShape, type TokenReceipt } from "../store/bundle-record.ts";
import { hashOf } from "../store/layout.ts";
import { removeBundle } from "../store/remove-bundle.ts";
import { type ApiCall, type ApiResponse, bearer, header } from "./call.ts";
import { callerOf, canAccess, requireStaging } from "./callers.ts";
import { joinProblems, jsonOf, listShape, maxListJsonBytes, maxPlainJsonBytes } from "./json-body.ts";
import { labelsShape } from "./labels-shape.ts";
import { markUsed } from "./mark-used.ts";
import { sendContent } from "./send-content.ts";
import { findMissing, maxConcurrentBlobs } from "./uploads.ts";

const maxEntries = 10_000;
const ttlShape = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(366 * 86_400));
const requestShape = v.object({
  owner: v.object({ ...ownerShape.entries, labels: labelsShape }),
  entries: listShape(entryShape, maxEntries),
  ttlSeconds: v.exactOptional(ttlShape),
});
const renewShape = v.object({ ttlSeconds: ttlShape });

type Request = v.InferOutput<typeof requestShape>;

/** `POST /bundles` */
export async function createBundle(scope: ServerScope, call: ApiCall): Promise<ApiResponse> {
  const caller = await callerOf(scope, call);
  const request = await jsonOf(scope, call, { shape: requestShape, maxBytes: maxListJsonBytes });
  await requireStaging(scope, caller, request.owner.namespace);
  const key = header(call, "idempotency-key");
  const create = () => storeBundle(scope, request);
  const record = key === undefined ? await create() : await createOnce(scope, { key, caller, request, create });
  return { status: 201, json: printReceipt(scope, record) };
}

/** `GET /bundles/{id}` */
export async function readManifest(scope: ServerScope, call: ApiCall): Promise<ApiResponse> {
  const { bundleId, entries } = await readableBundle(scope, call);
  const manifest: BundleManifest = { bundleId, entries };
  return { status: 200, headers: { "cache-control": "no-store" }, json: manifest };
}

/** `GET /bundles/{id}/entries/{index}` */
export async function readEntry(scope: ServerScope, call: ApiCall): Promise<ApiResponse | undefined> {
  const record = await readableBundle(scope, call);
  const index = call.parameters["index"] ?? "";
  const entry = /^\d{1,6}$/.test(index) ? record.entries[Number(index)] : undefined;
  if (entry === undefined) throw new Problem("NOT_FOUND", "The bundle does not have this entry.");
  markUsed(scope, record);
  return sendContent(scope, call, {
    digest: entry.digest,
    notFound: () => notFoundProblem(scope, record.bundleId),
  });
}

/** `POST /bundles/{id}:renew` */
export async function renewBundle(scope: ServerScope, call: ApiCall): Promise<ApiResponse> {
  const { bundles } = scope.store;
  const record = await writableBundle(scope, call);
  const { ttlSeconds } = await jsonOf(scope, call, { shape: renewShape, maxBytes: maxPlainJsonBytes });
  const until = scope.host.clock.now() + ttlSeconds * 1000;
  const renewed = await bundles.change(record, (now) => ({
    ...now,
    leaseUntilMs: Math.max(now.leaseUntilMs, until),
  }));
  if (renewed === undefined) throw await notFoundProblem(scope, record.bundleId);
  const lease: BundleLease = { expiresAt: new Date(renewed.leaseUntilMs).toISOString() };
  return { status: 200, json: lease };
}

/** `DELETE /bundles/{id}` */
export async function deleteBundle(scope: ServerScope, call: ApiCall): Promise<ApiResponse> {
  const record = await writableBundle(scope, call);
  if (await removeBundle(scope.store, record)) {
    scope.metrics.removedBundle("deleted");
    scope.log("INFO", "A client deleted a bundle.", { bundle: record.bundleId });
  }
  return { status: 204 };
}

async function storeBundle(scope: ServerScope, { owner, entries, ttlSeconds }: Request): Promise<BundleRecord> {
  const { host, options, store, keys } = scope;
  const { namespace } = owner;
  requireValidEntries(scope, entries);
  const missing = await findMissing(store, namespace, entries);
  if (missing.length > 0) {
    const details = { missing: [...new Set(missing.map(({ digest }) => digest))] };
    throw new Problem("MISSING_BLOBS", `${details.missing.length} of the contents are not staged.`, details);
  }
  await forEachConcurrent(entries, maxConcurrentBlobs, async (entry) => store.blobs.keep(namespace, entry));
  const now = host.clock.now();
  const record: BundleRecord = {
    bundleId: host.random.uuid(),
    owner,
    entries,
    createdAtMs: now,
    leaseUntilMs: now + (ttlSeconds === undefined ? options.times.initialExpiryMs : ttlSeconds * 1000),
    receipt: { kid: keys.newest().kid, jti: host.random.uuid(), expiresAtMs: now + options.times.tokenMs },
    history: {},
  };
  await store.bundles.add(record);
  return record;
}

function requireValidEntries({ options }: ServerScope, entries: Request["entries"]): void {
  const seen = new Set<string>();
  const reasons = entries.flatMap(({ kind, name }, index) => {
    const shown = `entries.${index}: ${JSON.stringify(name.slice(0, 300))}`;
    if (!isEntryName(name)) {
      return [
        `${shown} is not a valid name: use 1 to 255 letters, digits, dots, underscores and hyphens, but not . or ..`,
      ];
    }
    const isDuplicate = seen.has(`${kind}/${name}`);
    seen.add(`${kind}/${name}`);
    return isDuplicate ? [`${shown} is also the name of another ${kind}`] : [];
  });
  if (reasons.length > 0) throw new Problem("BAD_REQUEST", joinProblems(reasons));
  const size = entries.reduce((sum, entry) => sum + entry.size, 0);
  const { maxBundleBytes = Infinity } = options.limits;
  if (size <= maxBundleBytes) return;
  const message = `The bundle has ${size} bytes, which exceeds the limit of ${maxBundleBytes}.`;
  throw new Problem("TOO_LARGE", message);
}

interface IdempotentRequest {
  readonly key: string;
  readonly caller: ReviewedUser;
  readonly request: Request;
  readonly create: () => Promise<BundleRecord>;
}

const inProgress = new Map<string, Promise<unknown>>();

/** Returns the bundle that an equal request with the same idempotency key has created, or creates it. */
async function createOnce(
  scope: ServerScope,
  { key, caller, request, create }: IdempotentRequest,
): Promise<BundleRecord> {
  const { bundles, layout } = scope.store;
  const { namespace } = request.owner;
  const scopedKey = JSON.stringify([namespace, caller.name, key]);
  const lock = `${layout.root} ${scopedKey}`;
  while (inProgress.has(lock)) await inProgress.get(lock);
  const work = (async () => {
    const requestHash = hashOf(JSON.stringify(request));
    const made = await bundles.findCreated(scopedKey);
    const known = made === undefined ? undefined : await bundles.find(made.bundleId, namespace);
    if (known !== undefined && made?.requestHash !== requestHash) {
      throw new Problem("BAD_REQUEST", "The idempotency key was already used for a different bundle.");
    }
    if (known !== undefined) return known;
    const record = await create();
    await bundles.recordCreated(scopedKey, { bundleId: record.bundleId, requestHash });
    return record;
  })();
  inProgress.set(
    lock,
    work.catch(() => {}),
  );
  try {
    return await work;
  } finally {
    inProgress.delete(lock);
  }
}

function printReceipt({ keys }: ServerScope, record: BundleRecord): BundleReceipt {
  const { bundleId, owner, receipt } = record;
  if (receipt === undefined) throw new Error("a bundle of API v0 does not have a token");
  const { kid, jti, expiresAtMs }: TokenReceipt = receipt;
  const claims = { bundle: bundleId, ns: owner.namespace, exp: Math.floor(expiresAtMs / 1000), jti };
  const token = signToken(keys.find(kid) ?? keys.newest(), claims);
  return { bundleId, token, expiresAt: new Date(record.leaseUntilMs).toISOString() };
}

/** Returns the bundle that the request's token grants. @throws Problem UNAUTHENTICATED, NOT_FOUND, GONE */
async function readableBundle(scope: ServerScope, call: ApiCall): Promise<BundleRecord> {
  const bundleId = call.parameters["id"] ?? "";
  const token = bearer(call, "authorization") ?? "";
  const claims: TokenClaims | undefined = verifyToken(scope.keys, token, scope.host.clock.now());
  if (claims?.bundle !== bundleId) {
    const details = { headers: { "www-authenticate": "Bearer" } };
    throw new Problem("UNAUTHENTICATED", "The token is not valid for this bundle.", details);
  }
  const record = await scope.store.bundles.find(bundleId, claims.ns);
  if (record === undefined) throw await notFoundProblem(scope, bundleId);
  return record;
}

/** Returns the bundle if the caller may change it. @throws Problem NOT_FOUND, also for bundles of other namespaces */
async function writableBundle(scope: ServerScope, call: ApiCall): Promise<BundleRecord> {
  const caller = await callerOf(scope, call);
  const record = await scope.store.bundles.find(call.parameters["id"] ?? "");
  if (record !== undefined && (await canAccess(scope, caller, record.owner))) return record;
  throw new Problem("NOT_FOUND", "The bundle does not exist.");
}

async function notFoundProblem({ store }: ServerScope, bundleId: string): Promise<Problem> {
  return (await store.bundles.isRemoved(bundleId))
    ? new Problem("GONE", "The bundle was removed.")
    : new Problem("NOT_FOUND", "The bundle does not exist.");
}
