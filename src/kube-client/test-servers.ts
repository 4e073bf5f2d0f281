import type { AddressInfo, Server } from "node:net";

/** Servers that a test opens on this machine and closes at its end. */
interface TestServers {
  /** Lets a server listen on 127.0.0.1. @returns its port */
  readonly listen: (server: Server) => Promise<number>;
  /** Registers another resource to close. */
  readonly closeLater: (close: () => void) => void;
  /** Ends all, open connections too; for `afterEach`. */
  readonly closeAll: () => void;
}

/** Opens nothing yet. */
export function testServers(): TestServers {
  const closing: (() => void)[] = [];
  return {
    async listen(server) {
      const sockets = new Set<{ destroy: () => void }>();
      server.on("connection", (socket) => sockets.add(socket));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      closing.push(() => {
        for (const socket of sockets) socket.destroy();
        server.close();
      });
      const address: AddressInfo | string | null = server.address();
      return typeof address === "object" ? (address?.port ?? 0) : 0;
    },
    closeLater: (close) => closing.push(close),
    closeAll() {
      for (const close of closing.splice(0)) close();
    },
  };
}
