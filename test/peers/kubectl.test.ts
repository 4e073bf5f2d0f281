import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { requires } from "../test-with.ts";
import { fetchKubectl, type Peer } from "./fetch-peer.ts";
import { type Background, type PeerCluster, startPeerCluster } from "./peer-cluster.ts";

describe.each([
  ["32", "2.1.0"],
  ["35", "2.2.2"],
])("kubectl 1.%s", (minor, packageVersion) => {
  let peer: Peer;
  let cluster: PeerCluster;
  beforeAll(async () => {
    peer = fetchKubectl(minor, packageVersion);
    cluster = await startPeerCluster();
    if ("directory" in peer) await startPod();
  }, 300_000);
  beforeEach((context) => requires(peer)(context));
  afterAll(() => cluster.stop());

  const program = () => join("directory" in peer ? peer.directory : "", "kubectl/kubectl");
  const tryOut = (args: string, input?: string) => cluster.run(program(), split(args), input);
  async function kubectl(args: string, input?: string): Promise<string> {
    const ended = await tryOut(args, input);
    if (ended.exit !== 0) throw new Error(`kubectl ${args}: ${ended.exit} ${ended.error}`);
    return ended.out;
  }
  async function inBackground(args: string, expected: RegExp): Promise<Background> {
    const background = await cluster.runUntil(program(), split(args), expected);
    onTestFinished(background.end);
    return background;
  }
  function file(name: string, content: string | Uint8Array | object): string {
    const isText = typeof content === "string" || content instanceof Uint8Array;
    writeFileSync(join(cluster.directory, name), isText ? content : JSON.stringify(content));
    return name;
  }
  const map = (name: string, data: object) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name },
    data,
  });

  /** A pod that serves its files and prints to stdout and stderr. */
  async function startPod(): Promise<void> {
    const script = "echo one; echo two >&2; echo three; exec python3 -m http.server 8080 --bind $IP";
    const container = {
      ...{ name: "main", image: "busybox:1", imagePullPolicy: "IfNotPresent" },
      command: ["sh", "-c", script],
      env: [{ name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } }],
      ports: [{ name: "http", containerPort: 8080 }],
    };
    const metadata = { name: "web", labels: { app: "web" } };
    const pod = { apiVersion: "v1", kind: "Pod", metadata };
    const spec = { terminationGracePeriodSeconds: 0, containers: [container] };
    file("pod.json", { ...pod, spec });
    await kubectl("apply -f pod.json");
    await kubectl("wait --for=condition=Ready pod/web --timeout=30s");
    const ports = [
      { name: "http", port: 80, targetPort: "http" },
      { name: "nobody", port: 81, targetPort: 1 },
    ];
    const service = { apiVersion: "v1", kind: "Service", metadata: { name: "web" } };
    file("service.json", { ...service, spec: { selector: { app: "web" }, ports } });
    await kubectl("create -f service.json");
  }

  describe("shows objects", () => {
    test("in tables, of one kind or all kinds", async () => {
      expect(await kubectl("get pods")).toMatch(/^NAME +READY +STATUS +RESTARTS +AGE\nweb +1\/1 +Running +0 /);
      expect(await kubectl("get pod web -o wide")).toMatch(/ IP +NODE +NOMINATED NODE +READINESS GATES\n.*127\.90\./);
      expect(await kubectl("get all --no-headers")).toMatch(/^pod\/web .*\nservice\/kubernetes .*\nservice\/web /);
      expect(await kubectl("get pods -o name")).toBe("pod/web\n");
      expect(await kubectl("get pods -o custom-columns=N:.metadata.name --no-headers")).toBe("web\n");
      expect(await kubectl("get pods -A --sort-by=.metadata.name -L app")).toMatch(/ APP\n.* web\n/);
      expect(await kubectl("get endpoints web -o jsonpath={.subsets[0].ports[0].port}")).toBe("8080");
    });

    test("as they change", async () => {
      const watch = await inBackground("get configmaps -w --no-headers", /kube-root-ca/);
      await kubectl("create configmap watched --from-literal=a=b");
      await watch.until(/^watched +1 /m);
      await kubectl("delete configmap watched");
    });

    test("described with their events", async () => {
      const pod = await kubectl("describe pod web");
      expect(pod).toMatch(/^Status: +Running$/m);
      expect(pod).toMatch(/Scheduled .*\n.*Pulled .*\n.*Created .*\n.*Started .*kubelet .*Container started/);
      expect(await kubectl("describe service web")).toMatch(/Endpoints: +127\.90\.\d+\.\d+:8080/);
      expect(await kubectl("describe node local")).toMatch(/default +web +0 \(0%\)/);
      expect(await kubectl("events --for pod/web")).toMatch(/Scheduled +Pod\/web/);
      expect((await tryOut("top pods")).error).toContain("Metrics API not available");
    });

    test("of the API: version, kinds, fields", async () => {
      const { serverVersion } = JSON.parse(await kubectl("version -o json"));
      expect(serverVersion).toMatchObject({ major: "1", minor: "35" });
      expect(await kubectl("api-resources --namespaced=false -o name")).toContain("\nnodes\n");
      expect(await kubectl("api-versions")).toMatch(/^apps\/v1$/m);
      expect(await kubectl("explain pod.spec.containers.ports")).toMatch(/containerPort\t<integer> -required-/);
      const strategy = await kubectl("explain deployment.spec.strategy --recursive");
      expect(strategy).toMatch(/rollingUpdate\t<RollingUpdateDeployment>\n +maxSurge\t<IntOrString>/);
      expect(await kubectl("cluster-info")).toContain("is running at");
      expect(await kubectl("get --raw /readyz")).toBe("ok");
    });

    test("of access control", async () => {
      expect(await kubectl("auth can-i create pods")).toBe("yes\n");
      expect((await tryOut("auth can-i get pods --as=system:serviceaccount:default:default")).out).toBe("no\n");
      expect(await kubectl("auth can-i --list")).toMatch(/^\*\.\* /m);
      expect(await kubectl("auth whoami")).toContain("system:masters");
    });
  });

  describe("writes", () => {
    test("by applying, on its own side and on the server's", async () => {
      file("map.json", map("applied", { a: "1", b: "2" }));
      expect(await kubectl("apply -f map.json")).toBe("configmap/applied created\n");
      expect(await kubectl("apply -f map.json")).toBe("configmap/applied unchanged\n");
      file("map.json", map("applied", { a: "3" }));
      expect(await tryOut("diff -f map.json")).toMatchObject({
        exit: 1,
        out: expect.stringMatching(/^\+ {2}a: "3"$/m),
      });
      expect(await kubectl("apply -f map.json")).toBe("configmap/applied configured\n");
      expect(await kubectl("get cm applied -o jsonpath={.data}")).toBe('{"a":"3"}');
      file("map.json", map("applied", { a: "4" }));
      const refused = await tryOut("apply --server-side --field-manager=other -f map.json");
      expect(refused).toMatchObject({ exit: 1, error: expect.stringContaining("conflict with") });
      await kubectl("apply --server-side --field-manager=other --force-conflicts -f map.json");
      file("map.json", map("applied", { c: "5" }));
      expect(await kubectl("replace -f map.json")).toBe("configmap/applied replaced\n");
      expect(await kubectl("get cm applied -o jsonpath={.data}")).toBe('{"c":"5"}');
      file("wrong.json", { ...map("wrong", {}), dat: {} });
      expect((await tryOut("apply -f wrong.json")).error).toContain('unknown field "dat"');
    });

    test("in protobuf, objects created from arguments", async () => {
      const made = [
        ["configmap made --from-literal=a=b", "configmap/made"],
        ["secret generic made --from-literal=a=b", "secret/made"],
        ["serviceaccount made", "serviceaccount/made"],
        ["role made --verb=get --resource=pods", "role.rbac.authorization.k8s.io/made"],
        ["rolebinding made --role=made --serviceaccount=default:made", "rolebinding.rbac.authorization.k8s.io/made"],
        ["clusterrole made --verb=get --non-resource-url=/metrics", "clusterrole.rbac.authorization.k8s.io/made"],
        ["clusterrolebinding made --clusterrole=made --user=u", "clusterrolebinding.rbac.authorization.k8s.io/made"],
        ["quota made --hard=pods=20", "resourcequota/made"],
        ["namespace made", "namespace/made"],
        ["service clusterip made --tcp=80", "service/made"],
        ["deployment made --image=busybox:1 -- sleep 1000", "deployment.apps/made"],
        ["job made --image=busybox:1 -- true", "job.batch/made"],
        ["ingress made --rule=host/path=made:80", "ingress.networking.k8s.io/made"],
        ["poddisruptionbudget made --selector=a=b --min-available=1", "poddisruptionbudget.policy/made"],
        ["priorityclass made --value=5", "priorityclass.scheduling.k8s.io/made"],
      ] as const;
      for (const [args, name] of made) expect(await kubectl(`create ${args}`)).toBe(`${name} created\n`);
      expect((await kubectl("create token made")).split(".")).toHaveLength(3);
      expect(await kubectl("auth can-i get pods --as=system:serviceaccount:default:made")).toBe("yes\n");
      for (const [, name] of made) expect(await kubectl(`delete ${name}`)).toMatch(/"made" deleted/);
    });

    test("by patches, labels, annotations and an editor", async () => {
      await kubectl("create configmap edited --from-literal=a=1");
      await kubectl(`patch cm edited -p {"data":{"b":"2"}}`);
      await kubectl(`patch cm edited --type=merge -p {"data":{"a":null}}`);
      await kubectl(`patch cm edited --type=json -p [{"op":"add","path":"/data/c","value":"3"}]`);
      await kubectl("label cm edited l=x");
      await kubectl("annotate cm edited n=y");
      file("editor", '#!/bin/sh\nsed -i \'s/c: "3"/c: "4"/\' "$1"\n');
      const env = `KUBE_EDITOR=sh ${join(cluster.directory, "editor")}`;
      const edited = await cluster.run("env", [env, program(), "edit", "cm", "edited"]);
      expect(edited).toMatchObject({ exit: 0, out: "configmap/edited edited\n" });
      expect(JSON.parse(await kubectl("get cm edited -o json"))).toMatchObject({
        ...{ data: { b: "2", c: "4" }, metadata: { labels: { l: "x" }, annotations: { n: "y" } } },
      });
      await kubectl("label cm edited l-");
      expect(await kubectl("get cm -l l=x -o name")).toBe("");
    });

    test("deployments: scaled, rolled out, rolled back, restarted", async () => {
      await kubectl("create deployment d --image=busybox:1 --replicas=2 -- sleep 1000");
      await kubectl("rollout status deployment/d --timeout=60s");
      await kubectl("scale deployment d --current-replicas=2 --replicas=1");
      await kubectl("set image deployment/d busybox=debian:12");
      await kubectl("rollout status deployment/d --timeout=60s");
      await kubectl("rollout undo deployment/d");
      await kubectl("rollout status deployment/d --timeout=60s");
      expect(await kubectl("get deploy d -o jsonpath={.spec.template.spec.containers[0].image}")).toBe("busybox:1");
      await kubectl("delete deployment d --cascade=foreground --timeout=60s");
      expect(await kubectl("get pods -l app=d -o name")).toBe("");
    });
  });

  describe("deletes", () => {
    test.each([
      ["background", ""],
      ["foreground", ""],
      ["orphan", "configmap/child-orphan\n"],
    ])("dependents of an object by cascade mode: %s", async (cascade, left) => {
      const [parent, child] = [`parent-${cascade}`, `child-${cascade}`];
      await kubectl(`create configmap ${parent}`);
      const uid = await kubectl(`get cm ${parent} -o jsonpath={.metadata.uid}`);
      const owner = { apiVersion: "v1", kind: "ConfigMap", name: parent, uid, blockOwnerDeletion: true };
      file("child.json", { ...map(child, {}), metadata: { name: child, ownerReferences: [owner] } });
      await kubectl("create -f child.json");
      await kubectl(`delete cm ${parent} --cascade=${cascade} --timeout=30s`);
      if (left === "") await kubectl(`wait --for=delete cm/${child} --timeout=30s`);
      expect(await kubectl(`get cm ${child} -o name --ignore-not-found`)).toBe(left);
    });

    test("pods gracefully and immediately, and namespaces with their objects", async () => {
      await kubectl("create namespace gone");
      await kubectl("run p -n gone --image=busybox:1 --restart=Never -- sleep 1000");
      await kubectl("wait -n gone --for=jsonpath={.status.phase}=Running pod/p --timeout=30s");
      await kubectl("delete pod p -n gone --now --timeout=30s");
      await kubectl("run q -n gone --image=busybox:1 --restart=Never -- sleep 1000");
      await kubectl("delete namespace gone --timeout=60s");
      expect(await kubectl("get ns gone --ignore-not-found")).toBe("");
    });
  });

  describe("gets into pods", () => {
    test("to read logs in every form", async () => {
      expect(await kubectl("logs web")).toMatch(/^one\ntwo\nthree\n|^one\nthree\ntwo\n|^two\none\nthree\n/);
      expect(await kubectl("logs web -c main --limit-bytes=3")).toHaveLength(3);
      expect(await kubectl("logs -l app=web --prefix --tail=1")).toMatch(/^\[pod\/web\/main\] /);
      expect(await kubectl("logs web --timestamps --since=1h --all-containers")).toMatch(/^\d{4}-\S+Z (one|two)\n/);
      expect((await tryOut("logs web --previous")).error).toContain('previous terminated container "main"');
      const follow = await inBackground("logs web -f --tail=1", /\n/);
      await kubectl("get --raw /api/v1/namespaces/default/pods/web:8080/proxy/usr/");
      await follow.until(/GET \/usr\//);
    });

    test("to run commands, with their input and exit code", async () => {
      expect(await tryOut('exec web -- sh -c "echo out; echo bad >&2; exit 7"')).toMatchObject({
        ...{ exit: 7, out: "out\n", error: expect.stringContaining("bad\n") },
      });
      expect(await kubectl("exec -i web -c main -- wc -c", "12345")).toBe("5\n");
      expect((await tryOut("exec web -- nosuch")).error).toContain("executable file not found in $PATH");
    });

    test("on a terminal", async () => {
      const args = `${program()} exec -it web -- sh -c 'test -t 0 && stty size && echo $TERM; exit 3'`;
      const command = `stty rows 33 cols 101; ${args}`;
      const ended = await cluster.run("script", ["-qec", command, "/dev/null"]);
      expect(ended).toMatchObject({ exit: 3, out: expect.stringContaining("xterm") });
    });

    test("to copy files there and back", async () => {
      const content = randomBytes(3_000_000);
      file("there", content);
      await kubectl("cp there web:/tmp/copy");
      await kubectl("cp web:/tmp/copy back");
      expect(readFileSync(join(cluster.directory, "back")).equals(content)).toBe(true);
    });

    test("to attach to their output and input", async () => {
      await kubectl("run echo --image=busybox:1 --restart=Never -i --rm -- cat", "hello\n").then((out) =>
        expect(out).toMatch(/hello\n/),
      );
      const attached = await inBackground("attach web", /If you don't see/);
      await kubectl("get --raw /api/v1/namespaces/default/pods/web:8080/proxy/etc/");
      await attached.until(/GET \/etc\//);
    });

    test.each([
      ["pod/web", "0:8080", "0:1"],
      ["service/web", "0:80", "0:81"],
    ])("to forward ports of a %s", async (what, good, bad) => {
      const forward = await inBackground(`port-forward ${what} ${good} ${bad}`, /(Forwarding from 127.*){2}/s);
      const [first, second] = [...forward.printed().matchAll(/127\.0\.0\.1:\d+/g)].map(String);
      const fetchStatus = () => fetch(`http://${first}/tmp/`).then(({ status }) => status);
      expect(await Promise.all([fetchStatus(), fetchStatus(), fetchStatus()])).toEqual([200, 200, 200]);
      await fetch(`http://${second}/`).catch(() => {});
      await forward.until(/error forwarding port 1 to pod .* connection refused/);
    });

    test("to reach their servers through its proxy", async () => {
      const proxy = await inBackground("proxy --port=0", /Starting to serve on \S+\n/);
      const address = /serve on (\S+)/.exec(proxy.printed())?.[1];
      const response = await fetch(`http://${address}/api/v1/namespaces/default/services/web:80/proxy/usr/`);
      expect(await response.text()).toContain("Directory listing for /usr/");
    });
  });
});

/** Splits arguments at spaces, except within double quotes. */
function split(args: string): string[] {
  return [...args.matchAll(/"([^"]*)"(?= |$)|\S+/g)].map(([arg, quoted]) => quoted ?? arg);
}
