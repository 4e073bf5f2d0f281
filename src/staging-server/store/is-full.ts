import { isSubmitError } from "../../errors/submit-error.ts";
import { HadoopException } from "../../hadoop/hadoop-call.ts";
import { S3Error } from "../../s3/s3-error.ts";

/** Codes of an exhausted disk or quota. Sources: POSIX; MinIO's and Ceph's S3 errors. */
const fullCodes: readonly unknown[] = [
  ...["ENOSPC", "EDQUOT"],
  ...["XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "QuotaExceeded", "InsufficientStorage"],
];

/** Returns whether an error reports that the store has no more space for this server. */
export function isFull(error: unknown): boolean {
  if (error instanceof S3Error && error.status === 507) return true;
  if (isSubmitError(error)) return error.cause instanceof HadoopException && isFullHdfs(error.cause);
  return error instanceof Error && "code" in error && fullCodes.includes(error.code);
}

/** Returns whether an exception reports an exhausted quota, or that no DataNode has space. Source: Hadoop BlockManager. */
function isFullHdfs({ exception, message }: HadoopException): boolean {
  const isQuota = ["DSQuotaExceededException", "NSQuotaExceededException", "QuotaByStorageTypeExceededException"];
  return isQuota.includes(exception) || /could only be (written|replicated) to 0 /.test(message);
}

/** Ignores that the store is full, in a step without which a removal is still correct. @throws every other error */
export function ignoreFull(error: unknown): void {
  if (!isFull(error)) throw error;
}
