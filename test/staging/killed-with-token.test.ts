import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { KubeResource, Pod } from "../../src/kube/types.ts";
import { apiNamespaces } from "../acceptance/api-namespaces.ts";
import { unowned } from "../acceptance/embedded-api.ts";
import type { RecordedRequest, RequestOutcome } from "../acceptance/fault-proxy.ts";
import { localize, secret } from "../acceptance/localize.ts";
import { run, start, temporaryDirectory } from "../acceptance/programs.ts";
import { swift } from "./s3/fetch-swift.ts";
import { swiftForTests } from "./s3/swift.ts";
import { startStaging } from "./staging-program.ts";
import { openStallingProxy } from "./stalling-proxy.ts";

/** Destination of files: local port, environment, and settings for a URL of that port. */
interface TransportTarget {
  readonly port: number;
  readonly env: Readonly<Record<string, string>>;
  readonly settings: (url: string) => readonly string[];
}

/** API changes of a submission: three ConfigMaps, a Secret, a Service, a policy, the pod, and an owner for some of them. */
const changes = 11;

function described(name: string, requests: number, openTarget: () => Promise<TransportTarget>, isMissing = false) {
  describe.skipIf(isMissing)(`a submission with a token by ${name}`, { timeout: 120_000 }, () => {
    const api = apiNamespaces(`killed-${name}`);

    async function submission(heldRequest: number, decide?: (visit: RecordedRequest) => RequestOutcome) {
      const target = await openTarget();
      const staging = await openStallingProxy(target.port, heldRequest);
      const { args, proxy, objects, namespace } = await api.create(decide);
      const cwd = temporaryDirectory();
      writeFileSync(join(cwd, "job.py"), "print(1)\n");
      writeFileSync(join(cwd, "conf.txt"), "a file of this machine");
      const settings = target.settings(staging.url).flatMap((setting) => ["--conf", setting]);
      const own = ["--staging", name, "--submission-token", "nightly-1", ...settings];
      const cache = { XDG_CACHE_HOME: temporaryDirectory() };
      const submit = () =>
        start("spark-submit", [...args, ...own, "--files", "conf.txt", "job.py"], {
          ...{ cwd, env: { ...target.env, ...cache } },
        });
      const sweep = () =>
        run("firesteel", ["sweep", ...args.slice(0, 2), "--namespace", namespace, "--older-than", "0s"]);
      return { submit, sweep, staging, proxy, objects };
    }

    /** Expects one driver whose init container gets the files, and no unowned objects after a sweep. */
    async function expectOneDriver({ sweep, objects }: Awaited<ReturnType<typeof submission>>) {
      expect(await sweep()).toMatchObject({ exit: 0 });
      const found = await objects();
      expect(unowned(found)).toEqual([]);
      const pods = found.filter(({ kind }) => kind === "Pod");
      expect(pods).toHaveLength(1);
      const directory = await localized(pods[0], found);
      expect(readFileSync(join(directory, "files/conf.txt"), "utf8")).toBe("a file of this machine");
      expect(readFileSync(join(directory, "pyfiles/job.py"), "utf8")).toBe("print(1)\n");
    }

    test("makes the expected number of calls without interruption", async () => {
      const made = await submission(0);
      const { exit, stderr } = await made.submit().ended;
      expect(exit, stderr).toBe(0);
      expect(made.proxy.visits.filter(({ method }) => method !== "GET")).toHaveLength(changes);
      expect(made.staging.visits).toHaveLength(requests);
      await expectOneDriver(made);
    });

    test.each(Array.from({ length: requests }, (_, index) => index + 1))(
      "creates one complete driver when it is killed at file request %i and repeated",
      async (number) => {
        const made = await submission(number);
        const { child, ended } = made.submit();
        await Promise.race([made.staging.held, ended]);
        child.kill("SIGKILL");
        expect((await ended).exit).toBe("SIGKILL");
        expect(await made.objects()).toEqual([]);
        const { exit, stderr } = await made.submit().ended;
        expect(exit, stderr).toBe(0);
        await expectOneDriver(made);
      },
    );

    test.each(Array.from({ length: changes }, (_, index) => index + 1))(
      "creates one complete driver when it is killed at cluster change %i and repeated",
      async (number) => {
        let count = 0;
        const made = await submission(0, ({ method }) => {
          if (method === "GET") return "pass";
          count += 1;
          return count === number ? "hold-after" : "pass";
        });
        const { child, ended } = made.submit();
        await Promise.race([made.proxy.held, ended]);
        child.kill("SIGKILL");
        expect((await ended).exit).toBe("SIGKILL");
        const { exit, stderr } = await made.submit().ended;
        expect(exit, stderr).toBe(0);
        await expectOneDriver(made);
      },
    );
  });
}

described("server", 9, async () => {
  const { port } = await startStaging();
  return { port, env: {}, settings: (url) => [`spark.firesteel.staging.server=${url}`] };
});

const s3 = swiftForTests();

described(
  "s3",
  4,
  async () => {
    const bucket = await s3().newBucket();
    return {
      port: Number(new URL(s3().endpoint).port),
      env: s3().env,
      settings: (url) => [
        `spark.firesteel.staging.s3.path=s3://${bucket}/staged`,
        `spark.firesteel.staging.s3.endpoint=${url}`,
      ],
    };
  },
  "missing" in swift,
);

/** Runs the init container of a pod with the objects that the pod references. Returns its directory. */
async function localized(pod: KubeResource | undefined, objects: readonly KubeResource[]): Promise<string> {
  const { spec }: Pod = JSON.parse(JSON.stringify(pod ?? {}));
  const sources = (spec?.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  const dataOf = (kind: string, name: string | undefined): Record<string, string> => {
    const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
    if (found === undefined) throw new Error(`the pod references ${kind} ${name}, which does not exist`);
    return Object.assign({}, found["data"]);
  };
  const config = sources.find(({ configMap }) => configMap !== undefined)?.configMap?.name;
  const token = sources.find((source) => source.secret !== undefined)?.secret?.name;
  const [source] = JSON.parse(dataOf("ConfigMap", config)["localize.json"] ?? "").sources;
  const [text = ""] = Object.values(dataOf("Secret", token));
  const file = secret(Buffer.from(text, "base64").toString());
  const own = source.kind === "bundle" ? { ...source, tokenFile: file } : { ...source, urlsFile: file };
  const { program, directory } = localize([own]);
  const { exit, stderr } = await program.ended;
  expect(exit, stderr).toBe(0);
  return directory;
}
