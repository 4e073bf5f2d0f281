import type { Socket } from "node:net";
import type { FileSender } from "./file-sender.ts";

/** MSG_MORE | MSG_NOSIGNAL | MSG_DONTWAIT. */
const moreFollows = 0x8000 | 0x4000 | 0x40;

/** Node has four threads. The package accepts at most 64 calls. */
const maxCalls = 4;

/** F_DUPFD_CLOEXEC. */
const duplicateDescriptor = 1030;

/** Platforms on which the C type `off_t` has 64 bits. */
const platforms = ["x64", "arm64", "riscv64", "loong64", "ppc64"];

/**
 * Loads Linux's `sendfile`, which Node does not have, by the optional package `koffi`. Returns `undefined` without the package, or on
 * other platforms.
 */
export async function loadFileSender(): Promise<FileSender | undefined> {
  if (process.platform !== "linux" || !platforms.includes(process.arch)) return undefined;
  try {
    const { errno, load, os } = await import("koffi");
    const libc = load(null);
    const sendfile = libc.func("int64_t sendfile(int out, int in, _Inout_ int64_t *offset, size_t count)");
    const send = libc.func("int64_t send(int out, const void *bytes, size_t count, int flags)");
    const fcntl = libc.func("int fcntl(int descriptor, int command, ...)");
    // Node's closeSync warns about descriptors that it has not opened.
    const close = libc.func("int close(int descriptor)");
    let runningCalls = 0;
    const sendNow: FileSender["send"] = ({ descriptor, position, sizeBytes }, socket) => {
      const target = descriptorOf(socket);
      if (target === undefined) return "full";
      const sent = Number(sendfile(target, descriptor, [position], sizeBytes));
      if (sent > 0) return sent;
      if (sent === 0) return "end";
      const code = errno();
      return code === os.errno["EINVAL"] || code === os.errno["ENOSYS"] ? "unsupported" : "full";
    };
    return {
      send: sendNow,
      async sendInThread(part, socket) {
        const target = descriptorOf(socket);
        if (target === undefined || runningCalls >= maxCalls) return sendNow(part, socket);
        // If the socket closes meanwhile, another connection can get its descriptor, but not this one.
        const copy = Number(fcntl(target, duplicateDescriptor, "int", 0));
        if (copy < 0) return sendNow(part, socket);
        const { descriptor, position, sizeBytes } = part;
        runningCalls += 1;
        try {
          const sent = await new Promise<number>((resolve) => {
            sendfile.async(copy, descriptor, [position], sizeBytes, (error: unknown, result: unknown) =>
              resolve(error == null ? Number(result) : -1),
            );
          });
          // The reason of a failure is known in its thread only.
          if (sent < 0) return sendNow(part, socket);
          return sent > 0 ? sent : "end";
        } finally {
          runningCalls -= 1;
          close(copy);
        }
      },
      sendBytes(bytes, socket) {
        const target = descriptorOf(socket);
        if (target === undefined) return 0;
        return Math.max(0, Number(send(target, bytes, bytes.length, moreFollows)));
      },
    };
  } catch {
    // The package is optional, and has no binary for some platforms.
    return undefined;
  }
}

/** Returns the file descriptor of an open socket. Node has no public property for it. */
function descriptorOf(socket: Socket): number | undefined {
  const handle: unknown = "_handle" in socket ? socket._handle : undefined;
  if (typeof handle !== "object" || handle === null || !("fd" in handle)) return undefined;
  return typeof handle.fd === "number" && handle.fd >= 0 ? handle.fd : undefined;
}
