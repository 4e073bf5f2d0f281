import type { Draft } from "./object.ts";
import { storageRequestTooLarge } from "./status.ts";
import { encodeProtobuf } from "./wire/protobuf-writer.ts";

/** Maximum size of a stored object in Kubernetes' protobuf format. Source: etcd 3.6, default of --max-request-bytes. */
const maxStoredBytes = 1.5 * 1024 * 1024;

/**
 * Rejects an object that etcd would reject, so that patches cannot make objects grow without limit. As in Kubernetes, an object that
 * would fit without its managed fields loses them, unless they are those of server-side apply.
 *
 * @throws StatusError 500
 */
export function fitStoredSize(object: Draft, { isApply }: { readonly isApply: boolean }): void {
  if (isStorable(object)) return;
  if (!isApply) delete object.metadata.managedFields;
  if (isApply || !isStorable(object)) throw storageRequestTooLarge();
}

/** Whether etcd would store an object. */
export function isStorable(object: Draft): boolean {
  const json = JSON.stringify(object);
  // JSON is longer than protobuf; encoding large objects takes time.
  if (json.length * 3 <= maxStoredBytes || Buffer.byteLength(json) <= maxStoredBytes) return true;
  const { length } = encodeProtobuf(object) ?? json;
  return length <= maxStoredBytes;
}
