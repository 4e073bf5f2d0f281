import type { Transport } from "../../../../conf/entries/localizing.ts";
import type { Pod } from "../../../../kube/types.ts";
import type { LocalizedDependencies } from "../../../../plan/localized-dependencies.ts";
import type { FileTransport, TransferCall } from "../transfer/transfer-files.ts";

/** Transports by name; `secret` needs none. */
const fileTransports: Readonly<Record<Exclude<Transport, "secret">, () => Promise<FileTransport>>> = {
  push: async () => (await import("./transfer-by-push.ts")).transferByPush,
  server: async () => (await import("./transfer-by-server.ts")).transferByServer,
  s3: async () => (await import("./transfer-by-s3.ts")).transferByS3,
};

/** Returns the transport of a submission's local files, extended by its remote files. */
export async function fileTransportOf(
  transport: Exclude<LocalizedDependencies["transport"], "secret">,
  remote: LocalizedDependencies["remote"],
): Promise<FileTransport> {
  if (remote.length === 0 && transport !== "remote") return fileTransports[transport]();
  const { transferNothing, withRemoteFiles } = await import("../remote/with-remote-files.ts");
  return withRemoteFiles(transport === "remote" ? transferNothing : await fileTransports[transport]());
}

/**
 * Resumes the transfer that another attempt at the same submission started, for a pod that waits for its files. Only a push
 * has steps after the creation of the pod.
 */
export async function resumeStaging(call: TransferCall, pod: Pod): Promise<Pod> {
  if (call.localized.transport !== "push") return pod;
  const { resumePush } = await import("./transfer-by-push.ts");
  return resumePush(call, pod);
}
