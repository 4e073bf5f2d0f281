import { createServer, type Socket } from "node:net";
import { pipeline } from "node:stream";
import { messageOf } from "../../../errors/message-of.ts";
import type { PodPortCall } from "../../../kube-client/call.ts";
import type { KubeClient } from "../../../kube-client/client.ts";

/** A local port whose connections go to a port of a pod. */
export interface ForwardedPort {
  readonly port: number;
  readonly close: () => void;
}

interface ForwardCall {
  readonly client: Pick<KubeClient, "connectToPod">;
  readonly target: Pick<PodPortCall, "namespace" | "pod" | "port">;
  /** Local port on 127.0.0.1; 0 for any. */
  readonly localPort: number;
  /** Receives the reason why a connection failed. */
  readonly onFailure: (reason: string) => void;
}

/** Forwards a port of 127.0.0.1 to a port of a pod through the API. Rejects with Node's error if the port is in use. */
export function forwardPort({ client, target, localPort, onFailure }: ForwardCall): Promise<ForwardedPort> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    // A browser closes connections at any time.
    socket.on("error", () => {});
    client.connectToPod(target).then(
      (remote) => {
        // The node reports a port that nothing listens on. Errors with a code are those of the local connection.
        remote.once("error", (error) => {
          if (!("code" in error)) onFailure(messageOf(error));
        });
        pipeline(socket, remote, () => {});
        pipeline(remote, socket, () => {});
      },
      (error: unknown) => {
        onFailure(messageOf(error));
        socket.destroy();
      },
    );
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(localPort, "127.0.0.1", () => {
      const address = server.address();
      resolve({
        port: typeof address === "object" && address !== null ? address.port : localPort,
        close() {
          server.close();
          for (const socket of sockets) socket.destroy();
        },
      });
    });
  });
}
