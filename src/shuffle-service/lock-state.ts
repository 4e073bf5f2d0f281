import { createServer } from "node:net";

/**
 * Makes this process the only one that uses a state directory. Returns a function that ends this; `undefined` if another one has it.
 *
 * The lock is a socket in Linux's abstract namespace, named by the directory: it ends with the process, however it ends, and
 * applies to all containers on the network of the host. Process IDs in a file mean nothing in another container.
 */
export function lockState(identity: string): Promise<(() => Promise<void>) | undefined> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      if ("code" in error && error.code === "EADDRINUSE") resolve(undefined);
      else reject(error);
    });
    server.listen({ path: `\0firesteel-shuffle-service-${identity}` }, () => {
      server.unref();
      resolve(() => new Promise((done) => server.close(() => done())));
    });
  });
}
