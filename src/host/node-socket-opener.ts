import { spawn } from "node:child_process";
import { Socket as DatagramSocket } from "node:dgram";
import { Server, Socket } from "node:net";

/** A process that opens sockets of its own network for this process, which then uses them itself. */
export interface SocketOpener {
  readonly pid: number | undefined;
  /** Resolves when the process is in its network. Rejects if the command cannot enter it. */
  readonly entered: Promise<void>;
  /** Connects; the connection is half-open capable and delivers nothing before it is read. Rejects with Node's error. */
  readonly connect: (address: string, port: number) => Promise<Socket>;
  readonly listen: (address: string, port: number) => Promise<Server>;
  /** Opens a port for datagrams. */
  readonly bind: (address: string, port: number) => Promise<DatagramSocket>;
  readonly stop: () => void;
}

/** Program of the other process. It opens sockets and passes them on, and ends with this process. */
const program = `
const net = require("node:net"), dgram = require("node:dgram");
process.on("disconnect", () => process.exit());
process.on("SIGINT", () => {});
process.on("message", ({ id, kind, address: host, port }) => {
  const fail = ({ code, message }) => process.send({ id, code, message });
  if (kind === "connection") {
    const socket = net.connect({ host, port, allowHalfOpen: true });
    socket.pause();
    socket.once("error", fail);
    socket.once("connect", () => {
      socket.off("error", fail);
      socket.on("error", () => {});
      process.send({ id }, socket);
    });
  } else if (kind === "server") {
    const server = net.createServer();
    server.once("error", fail);
    server.listen({ host, port, exclusive: true }, () => process.send({ id }, server, () => server.close()));
  } else {
    const socket = dgram.createSocket("udp4");
    socket.once("error", fail);
    socket.bind({ address: host, port, exclusive: true }, () => process.send({ id }, socket, () => socket.close()));
  }
});
`;

interface Pending {
  readonly resolve: (opened: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Starts another Node process in another network. It is not part of `Host`, which submissions load.
 *
 * @param command command that runs a command line there, e.g. nsenter's
 */
export function startSocketOpener([command, ...args]: readonly [string, ...string[]]): SocketOpener {
  const announced = ["sh", "-c", 'echo entered && exec "$@"', "sh", process.execPath, "-e", program];
  const child = spawn(command, [...args, ...announced], {
    detached: true,
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", "pipe", "ignore", "ipc"],
  });
  const entered = new Promise<void>((resolve, reject) => {
    child.stdout?.once("data", () => {
      child.stdout?.destroy();
      resolve();
    });
    child.once("close", () => reject(new Error(`${command} cannot enter the network`)));
    child.once("error", reject);
  });
  entered.catch(() => {});
  const pending = new Map<number, Pending>();
  let lastId = 0;
  const end = () => {
    for (const { reject } of pending.values()) reject(new Error("the process that opens sockets has ended"));
    pending.clear();
  };
  child.on("error", end);
  child.on("exit", end);
  child.on("disconnect", end);
  child.on("message", (message: { id: number; code?: string; message?: string }, opened: unknown) => {
    const request = pending.get(message.id);
    pending.delete(message.id);
    if (pending.size === 0) child.channel?.unref();
    if (message.message === undefined) request?.resolve(opened);
    else request?.reject(Object.assign(new Error(message.message), { code: message.code }));
  });
  child.unref();
  child.channel?.unref();
  const open = (kind: string, address: string, port: number): Promise<unknown> =>
    new Promise((resolve, reject) => {
      lastId += 1;
      pending.set(lastId, { resolve, reject });
      child.channel?.ref();
      if (!child.connected) return end();
      child.send({ id: lastId, kind, address, port }, (error) => {
        if (error !== null) end();
      });
      return undefined;
    });
  const lost = () => new Error("the opened socket was lost");
  return {
    ...{ pid: child.pid, entered },
    async connect(address, port) {
      const socket = await open("connection", address, port);
      if (!(socket instanceof Socket)) throw lost();
      socket.allowHalfOpen = true;
      return socket;
    },
    async listen(address, port) {
      const server = await open("server", address, port);
      if (!(server instanceof Server)) throw lost();
      return server;
    },
    async bind(address, port) {
      const socket = await open("datagrams", address, port);
      if (!(socket instanceof DatagramSocket)) throw lost();
      return socket;
    },
    stop() {
      if (child.connected) child.disconnect();
      child.kill("SIGKILL");
    },
  };
}
