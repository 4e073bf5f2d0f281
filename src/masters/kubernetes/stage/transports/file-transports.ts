import type { Transport } from "../../../../conf/entries/localizing.ts";
import type { FileTransport, Resumption } from "../transfer/transfer-files.ts";

/** What each transport does besides its objects. */
export const fileTransports: Readonly<Record<Exclude<Transport, "secret">, () => Promise<FileTransport>>> = {
  push: async () => (await import("./transfer-by-push.ts")).transferByPush,
  server: async () => (await import("./transfer-by-server.ts")).transferByServer,
  s3: async () => (await import("./transfer-by-s3.ts")).transferByS3,
};

/** Those with something left to do when the pod is there; the others sent all before. */
export const resumptions: Readonly<Partial<Record<Transport, () => Promise<Resumption>>>> = {
  push: async () => (await import("./transfer-by-push.ts")).resumePush,
};
