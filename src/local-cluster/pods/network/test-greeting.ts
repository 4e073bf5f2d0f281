import { connect } from "node:net";

/** Returns what a server sends until it closes the connection, or Node's error code. */
export function greetingAt(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect({ host, port });
    socket.on("data", (chunk) => {
      text += chunk.toString("utf8");
    });
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? ""));
    socket.on("end", () => resolve(text));
  });
}
