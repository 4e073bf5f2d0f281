import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

const realm = "FIRESTEEL.TEST";

/** Principal of all Hadoop servers of the tests. */
export const hadoopPrincipal = `hadoop/localhost@${realm}`;

/** A realm with its own KDC on loopback. */
export interface KerberosRealm {
  readonly directory: string;
  /** `krb5.conf`, for KRB5_CONFIG. */
  readonly configuration: string;
  /** Keytab of the servers: `hadoop/localhost`, and `HTTP/` for each name of this machine. */
  readonly serverKeytab: string;
  /** Returns the keytab of a user: `ann` or `bob`. */
  readonly keytab: (user: string) => string;
  /** Gets a ticket for a user. Returns the cache, for KRB5CCNAME. */
  readonly ticket: (user: string, lifetime?: string) => string;
  /** Writes another `krb5.conf`, whose KDC has no server. Returns its path. */
  readonly withoutKdc: () => Promise<string>;
  /** Writes another `krb5.conf`, whose tickets have a lifetime in seconds. Returns its path. */
  readonly withLifetime: (seconds: number) => string;
  readonly stop: () => Promise<void>;
}

/** Starts a realm, which ends with this process. */
export async function startRealm(): Promise<KerberosRealm> {
  const directory = mkdtempSync(join(tmpdir(), "firesteel-realm-"));
  const path = (name: string) => join(directory, name);
  const port = await freePort();
  const configuration = path("krb5.conf");
  writeFileSync(configuration, krb5Conf(port));
  writeFileSync(path("kdc.conf"), kdcConf(directory, port));
  const env = { ...process.env, KRB5_CONFIG: configuration, KRB5_KDC_PROFILE: path("kdc.conf"), LC_ALL: "C" };
  const call = (command: string, ...args: readonly string[]) => {
    const { status, stderr } = spawnSync(command, args, { env, encoding: "utf8" });
    if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr}`);
  };
  call("kdb5_util", "create", "-r", realm, "-s", "-P", "password of the database");
  const add = (principal: string, keytab: string) => {
    call("kadmin.local", "-q", `addprinc -randkey ${principal}`);
    call("kadmin.local", "-q", `ktadd -k ${keytab} ${principal}`);
  };
  for (const name of new Set(["localhost", "127.0.0.1", hostname()])) add(`HTTP/${name}`, path("server.keytab"));
  add(hadoopPrincipal, path("server.keytab"));
  for (const user of ["ann", "bob"]) add(user, path(`${user}.keytab`));
  const kdc = spawn("krb5kdc", ["-n"], { env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(kdc, "close");
  const endWithProcess = () => kdc.kill("SIGKILL");
  process.once("exit", endWithProcess);
  await new Promise<void>((resolve, reject) => {
    const listen = (chunk: unknown) => String(chunk).includes("starting") && resolve();
    kdc.stdout.on("data", listen);
    kdc.stderr.on("data", listen);
    kdc.once("close", (code) => reject(new Error(`krb5kdc ended with ${code}`)));
  });
  let tickets = 0;
  return {
    directory,
    configuration,
    serverKeytab: path("server.keytab"),
    keytab: (user) => path(`${user}.keytab`),
    ticket(user, lifetime = "1h") {
      tickets += 1;
      const cache = `FILE:${path(`tickets-${tickets}`)}`;
      call("kinit", "-k", "-t", path(`${user}.keytab`), "-l", lifetime, "-c", cache, user);
      return cache;
    },
    async withoutKdc() {
      writeFileSync(path("no-kdc.conf"), krb5Conf(await freePort()));
      return path("no-kdc.conf");
    },
    withLifetime(seconds) {
      writeFileSync(path("short.conf"), krb5Conf(port, [` ticket_lifetime = ${seconds}s`]));
      return path("short.conf");
    },
    async stop() {
      process.off("exit", endWithProcess);
      kdc.kill("SIGTERM");
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Gets a ticket for a user that has expired. Returns the cache, for KRB5CCNAME. */
export function expiredTicket(realm: KerberosRealm, user: string): string {
  const cache = realm.ticket(user, "1s");
  const env = { ...process.env, KRB5_CONFIG: realm.configuration };
  while (spawnSync("klist", ["-s", "-c", cache], { env }).status === 0);
  // For klist, it has expired at the end of its time; for logins, a second later.
  const seconds = () => Math.floor(Date.now() / 1000);
  const end = seconds();
  while (seconds() === end);
  return cache;
}

/** Returns a port of loopback on which no process listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

/** Java speaks to a KDC by UDP unless the limit says otherwise. */
function krb5Conf(port: number, more: readonly string[] = []): string {
  return [
    "[libdefaults]",
    ` default_realm = ${realm}`,
    ...["dns_lookup_kdc", "dns_lookup_realm", "dns_canonicalize_hostname", "rdns"].map((name) => ` ${name} = false`),
    ...[" udp_preference_limit = 1", " forwardable = true", ...more],
    "[realms]",
    ` ${realm} = {`,
    `  kdc = 127.0.0.1:${port}`,
    " }",
    "",
  ].join("\n");
}

function kdcConf(directory: string, port: number): string {
  return [
    "[kdcdefaults]",
    ` kdc_listen = 127.0.0.1:${port}`,
    ` kdc_tcp_listen = 127.0.0.1:${port}`,
    "[realms]",
    ` ${realm} = {`,
    `  database_name = ${directory}/principal`,
    `  key_stash_file = ${directory}/stash`,
    `  acl_file = ${directory}/acl`,
    " }",
    "[logging]",
    ` kdc = FILE:${directory}/kdc.log`,
    "",
  ].join("\n");
}

/** Returns the properties of a mini cluster with Kerberos. Its servers share one principal; `ann` can act for others. */
export function kerberosProperties({ serverKeytab: keytab }: KerberosRealm): Readonly<Record<string, string>> {
  const servers = ["dfs.namenode", "dfs.datanode"].flatMap((name) => [
    [`${name}.kerberos.principal`, hadoopPrincipal],
    [`${name}.keytab.file`, keytab],
  ]);
  const yarn = ["yarn.resourcemanager", "yarn.nodemanager"].flatMap((name) => [
    [`${name}.principal`, hadoopPrincipal],
    [`${name}.keytab`, keytab],
  ]);
  return {
    "hadoop.security.authentication": "kerberos",
    "dfs.block.access.token.enable": "true",
    "ignore.secure.ports.for.testing": "true",
    ...Object.fromEntries([...servers, ...yarn]),
    "dfs.namenode.kerberos.internal.spnego.principal": "*",
    "dfs.web.authentication.kerberos.principal": "*",
    "dfs.web.authentication.kerberos.keytab": keytab,
    "yarn.resourcemanager.webapp.spnego-principal": `HTTP/localhost@${realm}`,
    "yarn.resourcemanager.webapp.spnego-keytab-file": keytab,
    "hadoop.http.filter.initializers": "org.apache.hadoop.security.AuthenticationFilterInitializer",
    "hadoop.http.authentication.type": "kerberos",
    "hadoop.http.authentication.kerberos.principal": "*",
    "hadoop.http.authentication.kerberos.keytab": keytab,
    "hadoop.proxyuser.ann.hosts": "*",
    "hadoop.proxyuser.ann.groups": "*",
  };
}
