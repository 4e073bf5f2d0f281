import type { Transport } from "../../../../conf/entries/localizing.ts";
import type { Pod } from "../../../../kube/types.ts";
import type { FileTransport, TransferCall } from "../transfer/transfer-files.ts";

/** Transports by name; `secret` needs none. */
export const fileTransports: Readonly<Record<Exclude<Transport, "secret">, () => Promise<FileTransport>>> = {
  push: async () => (await import("./transfer-by-push.ts")).transferByPush,
  server: async () => (await import("./transfer-by-server.ts")).transferByServer,
  s3: async () => (await import("./transfer-by-s3.ts")).transferByS3,
};

/**
 * Resumes the transfer that another attempt at the same submission started, for a pod that waits for its files. Only a push
 * has steps after the creation of the pod.
 */
export async function resumeStaging(call: TransferCall, pod: Pod): Promise<Pod> {
  if (call.localized.transport !== "push") return pod;
  const { resumePush } = await import("./transfer-by-push.ts");
  return resumePush(call, pod);
}
