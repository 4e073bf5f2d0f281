import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { freePort } from "../acceptance/file-server.ts";
import { call } from "../peers/fetch-peer.ts";

/** Account of a registry. */
export interface RegistryUser {
  readonly name: string;
  readonly password: string;
}

/** Starts Debian's docker-registry on loopback until the test ends; with an account, only for it. Returns its address `HOST:PORT`. */
export async function startRegistry(user?: RegistryUser): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "firesteel-registry-"));
  const address = `127.0.0.1:${await freePort()}`;
  const passwords = join(directory, "htpasswd");
  if (user !== undefined) writeFileSync(passwords, `${user.name}:${bcryptOf(user.password)}\n`);
  const config = {
    version: 0.1,
    log: { level: "error" },
    storage: { filesystem: { rootdirectory: join(directory, "data") } },
    http: { addr: address },
    ...(user === undefined ? {} : { auth: { htpasswd: { realm: "test", path: passwords } } }),
  };
  writeFileSync(join(directory, "config.yml"), JSON.stringify(config));
  const server = spawn("docker-registry", ["serve", join(directory, "config.yml")], { stdio: "ignore" });
  onTestFinished(async () => {
    const ended = new Promise((resolve) => server.once("close", resolve));
    server.kill("SIGKILL");
    await ended;
    rmSync(directory, { recursive: true, force: true });
  });
  for (;;) {
    const reply = await fetch(`http://${address}/v2/`).catch(() => undefined);
    if (reply !== undefined) return address;
    if (server.exitCode !== null) throw new Error(`docker-registry ended with ${server.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Hashes a password in the only way that the registry knows; Node has none. */
function bcryptOf(password: string): string {
  return call("perl", ["-e", 'print crypt($ARGV[0], "\\$2b\\$04\\$" . "a" x 22)', password]);
}
