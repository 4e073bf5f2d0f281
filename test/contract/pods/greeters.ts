/** Python program that responds with `GREETING` at `PORT` of `ADDRESS`, to every connection. */
const greeter = [
  "import os, socket",
  "server = socket.create_server((os.environ['ADDRESS'], int(os.environ['PORT'])))",
  "while True:",
  "  connection, _ = server.accept()",
  "  connection.sendall(os.environ['GREETING'].encode()); connection.close()",
].join("\n");

interface Greeting {
  readonly port: number;
  readonly greeting: string;
  /** @default all addresses */
  readonly address?: string;
}

/** Builds a container that greets every connection. */
export function greeting(name: string, { port, greeting, address = "0.0.0.0" }: Greeting) {
  const values = { ADDRESS: address, PORT: String(port), GREETING: greeting };
  const env = Object.entries(values).map(([key, value]) => ({ name: key, value }));
  return { name, command: ["python3", "-c", greeter], env };
}

/** Python function `greet(address, port)`: prints what a server sends until it closes the connection; waits until it listens. */
export const greetFunction = [
  "import socket, time",
  "def greet(address, port):",
  "  while True:",
  "    try:",
  "      with socket.create_connection((address, port), 5) as s:",
  "        text = b''.join(iter(lambda: s.recv(99), b''))",
  "        if text: return print(text.decode(), flush=True)",
  "    except OSError: pass",
  "    time.sleep(0.05)",
].join("\n");

/** Builds a container that runs a Python program. */
export function python(name: string, ...lines: readonly string[]) {
  return { name, command: ["python3", "-c", lines.join("\n")] };
}
