import type { Transport } from "../../../../conf/entries/localizing.ts";
import type { FileTransport, Resumption } from "../transfer/transfer-files.ts";

/** Transports by name; `secret` needs none. */
export const fileTransports: Readonly<Record<Exclude<Transport, "secret">, () => Promise<FileTransport>>> = {
  push: async () => (await import("./transfer-by-push.ts")).transferByPush,
  server: async () => (await import("./transfer-by-server.ts")).transferByServer,
  s3: async () => (await import("./transfer-by-s3.ts")).transferByS3,
};

/** Transports with steps after the creation of the pod, which another attempt can resume. */
export const resumptions: Readonly<Partial<Record<Transport, () => Promise<Resumption>>>> = {
  push: async () => (await import("./transfer-by-push.ts")).resumePush,
};
