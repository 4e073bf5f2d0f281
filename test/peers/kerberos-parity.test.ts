import { describe, expect, test } from "vitest";
import { parseTokenIdentifier } from "../../src/values/delegation-token.ts";
import { available } from "../requirements.ts";
import { sparkOf } from "../spark-distributions.ts";
import { requires } from "../test-with.ts";
import { kerberosForTests } from "./kerberos-hadoop.ts";
import { type Submitted, submitToApi, tokensIn } from "./submit-to-api.ts";
import { environmentOf } from "./yarn-applications.ts";

describe.each(["4.3", "3.5"])("with a ticket, Apache's client of Spark %s", { timeout: 600_000 }, (line) => {
  const spark = sparkOf(line);
  const kerberos = kerberosForTests(spark);

  function submit(more: readonly string[], apache?: { readonly home: string }): Promise<Submitted> {
    const { configuration } = kerberos.realm();
    const settings = [...["spark.app.submitTime=1", `spark.kubernetes.kerberos.krb5.path=${configuration}`]];
    const env = {
      ...environmentOf(kerberos.hadoop(), available(spark)),
      ...kerberos.environment({ KRB5CCNAME: kerberos.realm().ticket("ann") }),
      ...{ SPARK_SUBMIT_OPTS: `-Djava.security.krb5.conf=${configuration}` },
    };
    const args = [...more, ...settings.flatMap((setting) => ["--conf", setting]), "local:///opt/job.py"];
    return submitToApi(args, env, apache);
  }

  test.for([
    ["", [], { owner: "ann", realUser: "" }, { owner: "ann@FIRESTEEL.TEST", realUser: "" }],
    [
      " for another user",
      ["--proxy-user", "bob"],
      { owner: "bob", realUser: "" },
      { owner: "bob", realUser: "ann@FIRESTEEL.TEST" },
    ],
  ] as const)("creates the same objects, and tokens of the same service and renewer%s", async (row, context) => {
    requires(spark)(context);
    const [, more, ownUsers, usersOfApache] = row;
    const [firesteel, apache] = [await submit(more), await submit(more, available(spark))];
    expect([firesteel.exit, apache.exit], firesteel.stderr + apache.stderr).toEqual([0, 0]);
    expect(objectsOf(firesteel)).toEqual(objectsOf(apache));
    // WebHDFS issues tokens to the short name of a user, without the real user.
    expect(identitiesOf(firesteel)).toMatchObject([ownUsers]);
    expect(identitiesOf(apache)).toMatchObject([usersOfApache]);
    expect(identitiesOf(firesteel)).toEqual(identitiesOf(apache).map((identity) => ({ ...identity, ...ownUsers })));
  });
});

/** Returns what the tokens of a driver say, without what differs between two tokens. */
function identitiesOf(submitted: Submitted) {
  return [...tokensIn(submitted)].map(([alias, { identifier, kind, service }]) => {
    const { owner, renewer, realUser, issuedMs, maxMs } = parseTokenIdentifier(identifier);
    return { alias, kind, service, owner, renewer, realUser, lifetimeMs: maxMs - issuedMs };
  });
}

/** Returns the objects of a driver, without what differs between two submissions. Properties and files have no order. */
function objectsOf({ objects }: Submitted): readonly unknown[] {
  const volatile =
    /^(uid|creationTimestamp|resourceVersion|managedFields|generation|hadoop-tokens|ownerReferences|status)$/;
  const text = JSON.stringify(objects, (name, value: unknown) => {
    if (volatile.test(name)) return undefined;
    if (name === "spark.properties")
      return String(value)
        .split("\n")
        .filter((line) => !line.startsWith("#"))
        .sort();
    return name === "items" && Array.isArray(value) ? value.map((item) => JSON.stringify(item)).sort() : value;
  });
  const parsed: unknown = JSON.parse(
    text
      .replaceAll(/-[0-9a-f]{16}(?=-)/g, "-ID")
      .replaceAll(/spark-[0-9a-f]{32}/g, "spark-ID")
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UUID")
      .replaceAll(/kube-api-access-\w{5}/g, "kube-api-access")
      .replaceAll(/(spark\.master=k8s[^"]*:)\d+/g, "$1PORT"),
  );
  return Array.isArray(parsed) ? parsed : [];
}
