import type { Transport } from "../../../../conf/entries/localizing.ts";
import type { Carrier, Resumption } from "../carry.ts";

/** What each transport does besides its objects. */
export const carriers: Readonly<Record<Exclude<Transport, "secret">, () => Promise<Carrier>>> = {
  push: async () => (await import("./push.ts")).carryByPush,
  server: async () => (await import("./server.ts")).carryByServer,
  s3: async () => (await import("./s3.ts")).carryByS3,
};

/** Those with something left to do when the pod is there; the others sent all before. */
export const resumptions: Readonly<Partial<Record<Transport, () => Promise<Resumption>>>> = {
  push: async () => (await import("./push.ts")).resumePush,
};
