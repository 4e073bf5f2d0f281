import { createHash } from "node:crypto";
import * as v from "valibot";
import { lengthOf } from "../../http/message-body.ts";
import { equalsInConstantTime } from "../access/bundle-token.ts";
import { Problem } from "../context/problem.ts";
import type { ServerScope } from "../context/scope.ts";
import type { BundleRecord } from "../store/bundle-record.ts";
import { type ApiCall, type ApiResponse, header } from "./call.ts";
import { callerOfV0, requireStaging } from "./callers.ts";
import { requireAllowedSize, requireFreeSpace, requireQuota } from "./capacity.ts";
import { parseShape } from "./json-body.ts";
import { labelsShape } from "./labels-shape.ts";
import { markUsed } from "./mark-used.ts";
import { sendContent } from "./send-content.ts";
import { readUploadForm } from "./upload-form.ts";

/** API v0: byte-compatible with the 2017 staging server, for its clients. */

const secretBytes = 1024;

const ownerShape = v.strictObject({
  ownerNamespace: v.string(),
  ownerLabels: labelsShape,
  ownerType: v.literal("Pod"),
});

/** `GET /api/v0/ping` */
export async function ping(): Promise<ApiResponse> {
  return { status: 200, headers: { "content-type": "text/plain" }, text: "pong" };
}

/** `POST /api/v0/resources` */
export async function stageResources(scope: ServerScope, call: ApiCall): Promise<ApiResponse> {
  const { store, host } = scope;
  const caller = await callerOfV0(scope, call);
  requireAllowedSize(scope, lengthOf(call.request) - maxFormBytes);
  await requireFreeSpace(scope, lengthOf(call.request));
  const form = await readUploadForm(scope, call);
  try {
    const owner = parseShape(ownerShape, Buffer.from(form.owner), "resourcesOwner");
    const namespace = owner.ownerNamespace;
    await requireStaging(scope, caller, namespace);
    if (!(await store.blobs.has(namespace, form.file))) await requireQuota(scope, namespace, form.file.size);
    await store.blobs.adopt(form.file.path, namespace, form.file);
    const resourceId = host.random.uuid();
    const resourceSecret = `${resourceId}-${Buffer.from(host.random.bytes(secretBytes)).toString("base64")}`;
    const { digest, size } = form.file;
    await store.bundles.add({
      bundleId: resourceId,
      owner: { namespace, labels: owner.ownerLabels, type: owner.ownerType },
      entries: [{ kind: "file", name: "resources.data", digest, size, executable: false }],
      createdAtMs: host.clock.now(),
      leaseUntilMs: host.clock.now() + scope.options.times.initialExpiryMs,
      secretHash: sha256(resourceSecret).toString("hex"),
      history: {},
    });
    return { status: 200, json: { resourceId, resourceSecret } };
  } finally {
    await form.file.discard();
  }
}

/** `GET /api/v0/resources/{id}` */
export async function readResources(scope: ServerScope, call: ApiCall): Promise<ApiResponse | undefined> {
  const id = call.parameters["id"] ?? "";
  const unknown = () => new Problem("NOT_FOUND", `No resource bundle found with id ${id.slice(0, 100)}`);
  const record = await scope.store.bundles.find(id);
  const [entry] = record?.entries ?? [];
  if (record?.secretHash === undefined || entry === undefined) throw unknown();
  if (!isSecretOf(record, header(call, "authorization") ?? "")) {
    const challenge = `Unauthorized to download resource with id ${id}`;
    throw new Problem("UNAUTHENTICATED", challenge, { headers: { "www-authenticate": challenge } });
  }
  markUsed(scope, record);
  return sendContent(scope, call, { digest: entry.digest, notFound: unknown });
}

/** Upper bound for boundaries, headers and the owner. */
const maxFormBytes = 128 * 1024;

function isSecretOf({ secretHash = "" }: BundleRecord, secret: string): boolean {
  return equalsInConstantTime(sha256(secret), Buffer.from(secretHash, "hex"));
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
