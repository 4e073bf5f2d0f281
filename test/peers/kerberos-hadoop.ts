import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { type Missing, missingOf } from "../requirements.ts";
import { requires } from "../test-with.ts";
import { type KerberosRealm, kerberosProperties, startRealm } from "./kerberos-realm.ts";
import { fetchMiniHadoop, type MiniHadoop, startMiniHadoop } from "./mini-hadoop.ts";

/** A realm with HDFS and YARN for the tests of a file. */
export interface KerberosHadoop {
  readonly realm: () => KerberosRealm;
  readonly hadoop: () => MiniHadoop;
  /** Environment of a program without a ticket. `more` wins. */
  readonly environment: (more?: Readonly<Record<string, string>>) => Record<string, string>;
  /** Sends a request to WebHDFS as `ann` with curl, e.g. of the path `/user/ann?op=LISTSTATUS`. Returns the body of the response. */
  readonly request: (pathAndQuery: string, args?: readonly string[]) => string;
}

/** Starts a realm and a mini cluster before the tests of a file. Skips the tests if something is missing. */
export function kerberosForTests(
  required: Missing | object = {},
  properties: Readonly<Record<string, string>> = {},
): KerberosHadoop {
  const note = missingOf("the MIT KDC") ?? missingOf(required);
  let missing: Missing | object = { missing: "requires the mini cluster, which did not start" };
  let realm: KerberosRealm | undefined;
  let hadoop: MiniHadoop | undefined;
  beforeAll(async () => {
    const peer = note === undefined ? fetchMiniHadoop() : { missing: note };
    missing = peer;
    if ("missing" in peer) return;
    realm = await startRealm();
    const all = { ...kerberosProperties(realm), ...properties };
    hadoop = await startMiniHadoop(peer, all, [`-Djava.security.krb5.conf=${realm.configuration}`]);
  }, 1_200_000);
  beforeEach((context) => requires(missing)(context));
  afterAll(async () => {
    await hadoop?.stop();
    await realm?.stop();
  }, 600_000);
  const running = <T>(server: T | undefined): T => {
    if (server === undefined) throw new Error("the servers are not running");
    return server;
  };
  const environment = (more: Readonly<Record<string, string>> = {}) => ({
    HADOOP_CONF_DIR: running(hadoop).confDirectory,
    KRB5_CONFIG: running(realm).configuration,
    KRB5CCNAME: `FILE:${running(realm).directory}/none`,
    ...more,
  });
  let ticket: string | undefined;
  return {
    realm: () => running(realm),
    hadoop: () => running(hadoop),
    environment,
    request(pathAndQuery, args = []) {
      ticket ??= running(realm).ticket("ann");
      const url = `${running(hadoop).webAddress}/webhdfs/v1${pathAndQuery}`;
      const all = ["-sS", "--location", "--negotiate", "--user", ":", ...args, url];
      const env = { ...process.env, ...environment({ KRB5CCNAME: ticket }) };
      const { status, stdout, stderr } = spawnSync("curl", all, { encoding: "utf8", env });
      if (status !== 0) throw new Error(`${url}: ${stderr}${stdout}`);
      return stdout;
    },
  };
}
