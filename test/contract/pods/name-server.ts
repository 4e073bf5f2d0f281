import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import { onTestFinished } from "vitest";

/** Responds to every question about an address with one, by UDP and TCP, until the test ends. @returns the names of the queries */
export async function startNameServer(address: string, found: string): Promise<readonly string[]> {
  const queried: string[] = [];
  const respond = (query: Buffer): Buffer => {
    const end = query.indexOf(0, 12) + 5;
    const question = query.subarray(12, end);
    queried.push(nameIn(question));
    const isA = question.readUInt16BE(question.length - 4) === 1;
    // The record's name is a pointer to the question's.
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, ...found.split(".").map(Number)]);
    const head = Buffer.concat([query.subarray(0, 2), Buffer.from([0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0])]);
    return Buffer.concat([head, question, ...(isA ? [record] : [])]);
  };
  const datagrams = createSocket("udp4");
  datagrams.on("message", (query, { port, address: from }) => datagrams.send(respond(query), port, from));
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      const response = respond(chunk.subarray(2));
      socket.write(Buffer.concat([Buffer.from([response.length >> 8, response.length & 0xff]), response]));
    });
  });
  onTestFinished(() => {
    datagrams.close();
    server.close();
  });
  await new Promise<void>((resolve) => datagrams.bind(53, address, resolve));
  await new Promise<void>((resolve) => server.listen(53, address, resolve));
  return queried;
}

function nameIn(question: Buffer): string {
  const labels: string[] = [];
  for (let at = 0; question[at] !== undefined && question[at] !== 0; at += 1 + (question[at] ?? 0))
    labels.push(question.toString("latin1", at + 1, at + 1 + (question[at] ?? 0)));
  return labels.join(".");
}

/**
 * Python functions: `resolve_by_server(name, type)` prints what the pod's name server responds, `send(bytes)` prints the response to any message, and
 * `resolve(name)` prints the addresses that the C library finds.
 */
export const dnsFunctions = [
  "import os, socket, struct, subprocess",
  "servers = [line.split()[1] for line in open('/etc/resolv.conf') if line.startswith('nameserver')]",
  "def name_at(m, at):",
  "  labels = []",
  "  while m[at]:",
  "    if m[at] >= 192: return '.'.join(labels + [name_at(m, (m[at] & 63) << 8 | m[at + 1])[0]]), at + 2",
  "    labels.append(m[at + 1:at + 1 + m[at]].decode()); at += 1 + m[at]",
  "  return '.'.join(labels), at + 1",
  "def show(m):",
  "  _, flags, questions, records, authorities, others = struct.unpack('>6H', m[:12]); at = 12; found = []",
  "  for _ in range(questions): at = name_at(m, at)[1] + 4",
  "  for _ in range(records + authorities + others):",
  "    name, at = name_at(m, at); kind, _, _, length = struct.unpack('>2HIH', m[at:at + 10]); at += 10",
  "    if kind == 1: found.append(name + ' A ' + socket.inet_ntoa(m[at:at + 4]))",
  "    elif kind == 33: found.append('SRV %d %s' % (struct.unpack('>H', m[at + 4:at + 6])[0], name_at(m, at + 6)[0]))",
  "    else: found.append({5: 'CNAME ', 6: 'SOA ', 12: 'PTR '}[kind] + name_at(m, at)[0])",
  "    at += length",
  "  return ' | '.join([str(flags & 15) + (' truncated' if flags & 512 else '')] + sorted(found))",
  "def exchange(q, tcp):",
  "  with socket.socket(socket.AF_INET, socket.SOCK_STREAM if tcp else socket.SOCK_DGRAM) as s:",
  "    s.settimeout(10); s.connect((servers[0], 53)); s.sendall((struct.pack('>H', len(q)) if tcp else b'') + q)",
  "    if not tcp: return s.recv(9999)",
  "    f = s.makefile('rb'); head = f.read(2); return f.read(struct.unpack('>H', head)[0]) if head else None",
  "def query(name, kind, flags=256):",
  "  labels = b''.join(bytes([len(label)]) + label.encode() for label in name.split('.'))",
  "  return struct.pack('>6H', 9, flags, 1, 0, 0, 0) + labels + struct.pack('>B2H', 0, kind, 1)",
  "kinds = {'A': 1, 'CNAME': 5, 'PTR': 12, 'AAAA': 28, 'SRV': 33}",
  "def resolve_by_server(name, kind='A', tcp=False): print(show(exchange(query(name, kinds[kind]), tcp)), flush=True)",
  "def resolve(name):",
  "  done = subprocess.run(['getent', 'ahostsv4', name], capture_output=True, text=True)",
  "  print(' '.join(sorted({line.split()[0] for line in done.stdout.splitlines()})) or 'not found', flush=True)",
].join("\n");
