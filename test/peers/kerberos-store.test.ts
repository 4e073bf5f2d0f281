import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isFields } from "../../src/values/fields.ts";
import { testHdfsStore } from "../staging/hdfs/store-tests.ts";
import { alone, someBytes, stageBundle, startStaging } from "../staging/staging-program.ts";
import { requires } from "../test-with.ts";
import { fetchKerberosPackage } from "./fetch-peer.ts";
import { kerberosForTests } from "./kerberos-hadoop.ts";

const gssapi = fetchKerberosPackage();

describe("a staging server whose store is in an HDFS with Kerberos", { timeout: 900_000 }, () => {
  // Cookies that expire soon let the server authenticate again.
  const kerberos = kerberosForTests({}, { "hadoop.http.authentication.token.validity": "5" });
  let directories = 0;
  let ticket: string | undefined;
  const newDirectory = () => {
    directories += 1;
    return `${kerberos.hadoop().fileSystem}/user/ann/store-${directories}`;
  };
  const ticketEnvironment = () => {
    ticket ??= kerberos.realm().ticket("ann");
    return kerberos.environment({ KRB5CCNAME: ticket });
  };

  testHdfsStore(() => ({
    newDirectory,
    env: ticketEnvironment(),
    async list(directory) {
      const path = directory.replace(/^\w+:\/\/[^/]*/, "");
      const json: unknown = JSON.parse(kerberos.request(`${path}?op=LISTSTATUS`));
      const statuses = isFields(json) ? json["FileStatuses"] : undefined;
      const files = isFields(statuses) ? statuses["FileStatus"] : undefined;
      return Array.isArray(files) ? files.map((file) => String(isFields(file) ? file["pathSuffix"] : "")) : [];
    },
  }));

  const login = (keytab: string) => ["--hdfs-principal", "ann", "--hdfs-keytab", keytab];

  test.for([
    ["by kinit and curl", {}],
    ["by the package kerberos", gssapi],
  ] as const)("logs in with a keytab %s, again when its tickets have expired", async ([, peer], context) => {
    requires(peer)(context);
    const withPackage = "directory" in peer ? { NODE_PATH: join(peer.directory, "node_modules") } : {};
    const realm = kerberos.realm();
    const lifetimeSeconds = 10;
    const args = [...alone, ...login(realm.keytab("ann"))];
    const env = kerberos.environment({ KRB5_CONFIG: realm.withLifetime(lifetimeSeconds), ...withPackage });
    const staging = await startStaging(args, { store: newDirectory(), env });
    const end = Date.now() + 3000 * lifetimeSeconds;
    for (let seed = 1; Date.now() < end; seed += 1) {
      const bytes = someBytes(100_000, seed);
      const { path, reader } = await stageBundle(staging, bytes);
      const got = await staging.sendRequest("GET", `${path}/entries/0`, { headers: reader });
      expect(got.body.equals(bytes)).toBe(true);
    }
  });

  test.each([
    ["without a ticket", () => [], "The Kerberos login failed for the ticket cache"],
    ["without a keytab file", () => login("/nowhere"), "Cannot read the file of the Kerberos keytab: /nowhere"],
    ["with half a login", () => ["--hdfs-principal", "ann"], "Hint: Set --hdfs-keytab"],
    [
      "with a keytab of another user",
      () => login(kerberos.realm().keytab("bob")),
      "Keytab contains no suitable keys for ann@FIRESTEEL.TEST",
    ],
  ] as const)("does not start %s", async (_, args, message) => {
    const started = startStaging([...alone, ...args()], { store: newDirectory(), env: kerberos.environment() });
    await expect(started).rejects.toThrow(message);
  });
});
