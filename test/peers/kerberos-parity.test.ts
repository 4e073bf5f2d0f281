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

  function submit(apache?: { readonly home: string }): Promise<Submitted> {
    const { configuration } = kerberos.realm();
    const settings = [...["spark.app.submitTime=1", `spark.kubernetes.kerberos.krb5.path=${configuration}`]];
    const env = {
      ...environmentOf(kerberos.hadoop(), available(spark)),
      ...kerberos.environment({ KRB5CCNAME: kerberos.realm().ticket("ann") }),
      ...{ SPARK_SUBMIT_OPTS: `-Djava.security.krb5.conf=${configuration}` },
    };
    const args = [...settings.flatMap((setting) => ["--conf", setting]), "local:///opt/job.py"];
    return submitToApi(args, env, apache);
  }

  test("creates the same objects for Kerberos, with tokens of the same service and renewer", async (context) => {
    requires(spark)(context);
    const [firesteel, apache] = [await submit(), await submit(available(spark))];
    expect([firesteel.exit, apache.exit], firesteel.stderr + apache.stderr).toEqual([0, 0]);
    expect(objectsOf(firesteel)).toEqual(objectsOf(apache));
    expect(identitiesOf(firesteel).map(({ owner: _, ...same }) => same)).toEqual(
      identitiesOf(apache).map(({ owner: _, ...same }) => same),
    );
    // Clients of WebHDFS do not choose the owner.
    expect(identitiesOf(firesteel).map(({ owner }) => owner)).toEqual(["ann"]);
    expect(identitiesOf(apache).map(({ owner }) => owner)).toEqual(["ann@FIRESTEEL.TEST"]);
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
