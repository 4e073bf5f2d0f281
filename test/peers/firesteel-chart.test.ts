import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { root } from "../acceptance/programs.ts";
import { requires } from "../test-with.ts";
import { fetchKubectl, type Peer } from "./fetch-peer.ts";

const chart = join(root, "deploy/helm/firesteel");
const cases = join(root, "test/peers/firesteel-chart");
const names = readdirSync(cases).flatMap((file) => /^(.*)\.values\.yaml$/.exec(file)?.[1] ?? []);

/** Values of the staging server that contradict each other, with a part of the message. */
const contradictions = [
  ["store.type=s3", "stagingServer.store.s3.location is not set. Set it to s3://BUCKET/DIRECTORY."],
  ["store.s3.location=s3://a/b", "stagingServer.store.type is pvc. Set the type to s3"],
  ["store.s3.credentialsSecret=aws", 'stagingServer.store.s3.credentialsSecret is "aws"'],
  ["store.type=s3,store.s3.location=s3://a/b,store.pvc.existingClaim=c", "Remove the claim, or set the type to pvc."],
  [
    "store.type=s3,store.s3.location=s3://a/b,store.s3.endpoint=http://minio:9000,store.s3.caSecret=ca",
    "http://minio:9000 does not use TLS",
  ],
  ["store.pvc.accessModes=null", "stagingServer.store.pvc.accessModes is empty"],
  ["replicas=2", "stagingServer.replicas is 2, but the volume is ReadWriteOnce: only one server can use it."],
  ["store.pvc.existingClaim=c,store.pvc.keep=true", 'the chart never deletes the existing claim "c"'],
  ["tls.secretName=cert", "stagingServer.tls.source is none. Set the source to secret or certManager"],
  ["tls.clientCaSecret=ca", 'stagingServer.tls.clientCaSecret is "ca"'],
  ["tls.source=secret", "stagingServer.tls.secretName is not set"],
  ["tls.source=certManager", "stagingServer.tls.issuer.name is not set"],
  ["tls.source=secret,tls.secretName=cert,tls.issuer.name=internal", "stagingServer.tls.issuer.name is set"],
  ["tls.dnsNames={a.example}", "stagingServer.tls.dnsNames is set, but stagingServer.tls.source is none"],
  ["tls.source=secret,tls.secretName=cert,internalUrl=http://a", "stagingServer.internalUrl is http://a"],
  [
    "tls.source=secret,tls.secretName=cert,tls.clientCaSecret=ca,serviceMonitor.enabled=true",
    "stagingServer.serviceMonitor.tlsConfig has no client certificate",
  ],
  ["serviceAccount.create=false", "stagingServer.serviceAccount.name is not set. Name an existing account."],
  [
    "serviceAccount.create=false,serviceAccount.name=a,serviceAccount.annotations.role=b",
    "Annotate the existing account",
  ],
  ["owners=none,namespaces={jobs}", "stagingServer.owners is none: the server lists no pods"],
  ["service.nodePort=30100", "stagingServer.service.type is ClusterIP. Set the type to NodePort or LoadBalancer"],
  [
    "ingress.enabled=true",
    "stagingServer.ingress.host is not set. Set it to the name by which clients reach the server.",
  ],
  ["ingress.host=staging.example", "stagingServer.ingress.enabled is false. Enable it, or remove the host."],
  ["httpRoute.enabled=true,httpRoute.gateway.name=public", "stagingServer.httpRoute.host is not set."],
  ["httpRoute.enabled=true,httpRoute.host=staging.example", "stagingServer.httpRoute.gateway.name is not set."],
  [
    "ingress.enabled=true,ingress.host=staging.example,tls.source=secret,tls.secretName=cert",
    "the controller must connect with TLS",
  ],
  ["networkPolicy.from[0].podSelector.matchLabels.a=b", "Enable the policy, or remove the peers."],
  ["podDisruptionBudget.minAvailable=1", "has both maxUnavailable and minAvailable"],
  ["podDisruptionBudget.maxUnavailable=null", "has neither of maxUnavailable and minAvailable"],
  [
    "podDisruptionBudget.maxUnavailable=null,podDisruptionBudget.minAvailable=1",
    "is 1 with stagingServer.replicas 1: no node with a server could be drained",
  ],
  ["podDisruptionBudget.maxUnavailable=0", "maxUnavailable is 0 with stagingServer.replicas 1: no node"],
  ["podDisruptionBudget.maxUnavailable=0%", "maxUnavailable is 0% with stagingServer.replicas 1: no node"],
  [
    "podDisruptionBudget.maxUnavailable=null,podDisruptionBudget.minAvailable=60%",
    "minAvailable is 60% with stagingServer.replicas 1: no node",
  ],
  [
    "networkPolicy.enabled=true,store.type=s3,store.s3.location=s3://a/b,store.s3.endpoint=https://minio:9000",
    "endpoint is https://minio:9000, but stagingServer.networkPolicy.egressPorts is [443, 6443]. Add 9000.",
  ],
  [
    "networkPolicy.enabled=true,networkPolicy.egressPorts={6443},store.type=s3,store.s3.location=s3://a/b",
    "endpoint is https://s3.amazonaws.com, but stagingServer.networkPolicy.egressPorts is [6443]. Add 443.",
  ],
  [
    "networkPolicy.enabled=true,networkPolicy.egressPorts=null",
    "stagingServer.networkPolicy.egressPorts is [], but the server uses the Kubernetes API: stagingServer.auth is kubernetes",
  ],
  [
    "networkPolicy.enabled=true,options.api-server=https://10.0.0.1:8443",
    "stagingServer.options.api-server is https://10.0.0.1:8443, but stagingServer.networkPolicy.egressPorts is [443, 6443]. Add 8443.",
  ],
  [
    "networkPolicy.enabled=true,env[0].name=HTTPS_PROXY,env[0].value=http://proxy:3128",
    "stagingServer.env has HTTPS_PROXY, a proxy on port 3128, but stagingServer.networkPolicy.egressPorts",
  ],
  [
    "podSecurityContext.runAsUser=0",
    "stagingServer.podSecurityContext.runAsUser is 0, but stagingServer.podSecurityContext.runAsNonRoot is true",
  ],
  ["resources.requests.memory=1Gi", "requests.memory is 1Gi, but stagingServer.resources.limits.memory is 512Mi"],
  ["resources.requests.memory=536870913", "limits.memory is 512Mi. Raise the limit, or lower the request."],
  ["resources.requests.cpu=1500m,resources.limits.cpu=1", "requests.cpu is 1500m, but"],
  ["resources.requests.memory=256MB", 'resources.requests.memory is "256MB", which is not a quantity of Kubernetes'],
  ["podLabels.app\\.kubernetes\\.io/name=x", "stagingServer.podLabels has app.kubernetes.io/name"],
  ["serviceMonitor.labels.helm\\.sh/chart=x", "stagingServer.serviceMonitor.labels has helm.sh/chart"],
  ["serviceMonitor.tlsConfig.serverName=a", "stagingServer.serviceMonitor.tlsConfig is set, but"],
  ["options.tls-reload=5s", "stagingServer.options.tls-reload is 5s, but stagingServer.tls.source is none"],
  ["options.lease-duration=10s", "stagingServer.options.lease-duration is 10s, but stagingServer.replicas is 1"],
  [
    "options.api-server=https://a,auth=none,owners=none",
    "stagingServer.options.api-server is https://a, but the server does not use the API",
  ],
  ["store.s3.pathStyle=true", "stagingServer.store.s3.pathStyle is true, but stagingServer.store.type is pvc"],
  ["store.type=s3,store.s3.location=s3://a/b,store.pvc.keep=true", "stagingServer.store.pvc.keep is true, but"],
  [
    "store.type=s3,store.s3.location=s3://a/b,store.pvc.storageClassName=fast",
    "stagingServer.store.pvc.storageClassName is fast, but stagingServer.store.type is s3",
  ],
  ["store.pvc.existingClaim=c,store.pvc.storageClassName=fast", 'but the existing claim "c" has its own'],
] as const;

/** Values of the shuffle service that contradict each other, with a part of the message. */
const shuffleContradictions = [
  [
    "authentication.secretName=",
    "shuffleService.authentication.secretName is not set, but shuffleService.authentication.type is perApplication",
  ],
  [
    "authentication.type=none",
    'shuffleService.authentication.secretName is "s", but shuffleService.authentication.type is none',
  ],
  ["metricsPort=7337", "shuffleService.port and shuffleService.metricsPort are both 7337"],
  ["serviceAccount.create=false", "shuffleService.serviceAccount.name is not set. Name an existing account."],
  ["cleaner.enabled=false,cleaner.namespace=jobs", 'shuffleService.cleaner.namespace is "jobs"'],
  ["stateDirectory=/var/lib/spark-local/state", "which is in /var/lib/spark-local: executors could change it"],
  ["image=", "shuffleService.image is not set, and no public registry has this image."],
] as const;

/** Values of the gateway that contradict each other, with a part of the message. */
const gatewayContradictions = [
  ["image=", "gateway.image is not set, and no public registry has this image."],
  ["passwordSecret=", "gateway.auth is htpasswd, but gateway.passwordSecret is not set"],
  ["auth=none", 'gateway.passwordSecret is "users", but gateway.auth is none'],
  ["auth=oidc,passwordSecret=", "gateway.auth is oidc, but gateway.oidc.issuerUrl is not set. Set it to the URL"],
  ["auth=oidc,passwordSecret=", "gateway.oidc.clientId is not set. Set it to the ID of the gateway at the issuer."],
  ["oidc.groupsClaim=groups", 'gateway.oidc.groupsClaim is "groups", but gateway.auth is htpasswd'],
  [
    "store.enabled=true,replicas=2",
    "gateway.replicas is 2, but gateway.store.enabled is true: one gateway uses the database.",
  ],
  ["store.storageClassName=fast", "gateway.store.storageClassName is fast, but gateway.store.enabled is false."],
  [
    "store.enabled=true,store.existingClaim=c,store.storageClassName=fast",
    'gateway.store.storageClassName is fast, but the existing claim "c" has its own.',
  ],
  ["sessionSecret=s", 'gateway.sessionSecret is "s", but neither logins nor Spark UIs use it'],
  ["ui.url=https://ui.example", "gateway.ui.url is https://ui.example, but gateway.ui.enabled is false"],
  [
    "ui.enabled=true,options.external-url=https://gateway.example",
    "gateway.options.external-url is https://gateway.example, but gateway.ui.url is not set",
  ],
  ["ui.enabled=true,ui.port=8998", "gateway.service.port and gateway.ui.port are both 8998"],
  ["ui.enabled=true,ui.nodePort=30999", "gateway.ui.nodePort is 30999, but gateway.service.type is ClusterIP"],
  [
    "webhooks.chat.url=https://a,webhooks.chat.secretName=s,properties.gateway\\.webhook\\.chat\\.states=failed",
    "gateway.properties has gateway.webhook.chat.states, but gateway.webhooks has chat, too",
  ],
  ["serviceAccount.create=false", "gateway.serviceAccount.name is not set. Name an existing account."],
  ["service.nodePort=30100", "gateway.service.type is ClusterIP. Set the type to NodePort or LoadBalancer"],
  ["podLabels.app\\.kubernetes\\.io/name=x", "gateway.podLabels has app.kubernetes.io/name"],
] as const;

/** Values that look like contradictions and are none. */
const agreements = [
  "resources.requests.memory=536870912",
  "resources.requests.cpu=0.7,resources.limits.cpu=700m",
  "resources.requests.memory=1e3,resources.limits.memory=1k",
  "resources.limits=null",
  "podSecurityContext.runAsUser=0,podSecurityContext.runAsNonRoot=false",
  "networkPolicy.enabled=true,networkPolicy.egressPorts=null,auth=none,owners=none",
  "networkPolicy.enabled=true,store.type=s3,store.s3.location=s3://a/b,store.s3.endpoint=https://minio",
  "networkPolicy.egressPorts=null",
  "replicas=3,store.pvc.accessModes={ReadWriteMany},podDisruptionBudget.maxUnavailable=null,podDisruptionBudget.minAvailable=60%",
] as const;

/** Values that are names, by component. They look like numbers. */
const numericNames = {
  stagingServer: [
    "image=123,store.pvc.storageClassName=123,store.pvc.size=123,serviceAccount.name=123,namespaces={123},priorityClassName=123",
    "image=123,store.pvc.existingClaim=123,keysSecret=123,serviceMonitor.enabled=true,serviceMonitor.interval=123",
    "image=123,ingress.enabled=true,ingress.host=123,ingress.className=123,ingress.tlsSecret=123",
    "image=123,httpRoute.enabled=true,httpRoute.host=123,httpRoute.gateway.name=123,httpRoute.gateway.namespace=123,httpRoute.gateway.sectionName=123",
    "image=123,tls.source=certManager,tls.secretName=123,tls.issuer.name=123,tls.dnsNames={123},serviceMonitor.enabled=true",
    "image=123,tls.source=secret,tls.secretName=123,tls.clientCaSecret=123",
    "image=123,store.type=s3,store.s3.location=s3://a/b,store.s3.credentialsSecret=123,store.s3.caSecret=123",
  ],
  shuffleService: [
    "image=123,authentication.secretName=123,serviceAccount.name=123,cleaner.namespace=123,priorityClassName=123,podMonitor.enabled=true,podMonitor.interval=123",
  ],
  gateway: [
    "image=123,namespace=123,passwordSecret=123,ui.enabled=true,sessionSecret=123,serviceAccount.name=123,priorityClassName=123,podMonitor.enabled=true,podMonitor.interval=123",
    "image=123,auth=oidc,oidc.issuerUrl=https://a,oidc.clientId=123,oidc.credentialsSecret=123,oidc.caSecret=123,webhooks.chat.url=https://a,webhooks.chat.secretName=123",
  ],
} as const;

describe.each([
  ["3", "32", "2.1.0"],
  ["4", "35", "2.2.2"],
])("the chart firesteel with Helm %s", (version, minor, packageVersion) => {
  let peer: Peer;
  beforeAll(() => {
    peer = fetchKubectl(minor, packageVersion);
  }, 300_000);
  beforeEach((context) => requires(peer)(context));

  function helm(...args: readonly string[]) {
    const program = join("directory" in peer ? peer.directory : "", "helm/helm");
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
    return { status, stdout, stderr };
  }
  const template = (...args: readonly string[]) =>
    helm("template", "firesteel", chart, "--namespace", "staging", ...args);
  const image = ["--set", "stagingServer.image=registry.example/firesteel-server:1"];

  test("passes lint, with its defaults and with each example", () => {
    for (const values of [[], ...names.map((name) => ["--values", join(cases, `${name}.values.yaml`)])])
      expect(helm("lint", "--strict", chart, ...values)).toMatchObject({ status: 0 });
  });

  test.each(names)("renders %s.values.yaml as recorded; to record again, run this test with -u", async (name) => {
    const { status, stdout, stderr } = template("--values", join(cases, `${name}.values.yaml`));
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    await expect(stdout).toMatchFileSnapshot(join(cases, `${name}.yaml`));
  });

  test.each(Object.entries(numericNames).flatMap(([component, all]) => all.map((values) => [component, values])))(
    "of %s, %s stays text",
    (component, values) => {
      const set = `enabled=true,${values}`.replaceAll(/(^|,)(?=\w)/g, `$1${component}.`);
      const common = ["--namespace", "123", "--set-string", "nameOverride=123"];
      const disabled = component === "stagingServer" ? [] : ["--set", "stagingServer.enabled=false"];
      // Booleans are not text.
      const switches = set.split(",").filter((value) => value.endsWith("=true"));
      const texts = set.split(",").filter((value) => !value.endsWith("=true"));
      const args = [...common, ...disabled, "--set", switches.join(","), "--set-string", texts.join(",")];
      const { status, stdout, stderr } = helm("template", "123", chart, ...args);
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      const numbers: string[] = [];
      loadAll(stdout, (object) => {
        JSON.stringify(object, (key, value) => {
          if (value === 123) numbers.push(key);
          return value;
        });
      });
      expect(numbers).toEqual([]);
    },
  );

  test("renders nothing without servers", () => {
    const { status, stdout } = template("--set", "stagingServer.enabled=false");
    expect({ status, stdout: stdout.trim() }).toEqual({ status: 0, stdout: "" });
  });

  test("without an image, names the value and the command that builds one", () => {
    const { status, stderr } = template();
    expect(status).not.toBe(0);
    expect(stderr).toContain("stagingServer.image is not set, and no public registry has this image.");
    expect(stderr).toMatch(/`firesteel image build firesteel-server --tag REGISTRY\/firesteel-server:[\d.]+ --push`/);
  });

  test.each(contradictions)("rejects %s", (values, message) => {
    const { status, stderr } = template(...image, "--set", values.replaceAll(/(^|,)(?=\w)/g, "$1stagingServer."));
    expect(status).not.toBe(0);
    expect(stderr).toContain(message);
  });

  test.each(shuffleContradictions)("rejects %s of the shuffle service", (values, message) => {
    const valid = ["image=r/i:1", "enabled=true", "authentication.secretName=s"].join(",");
    const set = `${valid},${values}`.replaceAll(/(^|,)(?=\w)/g, "$1shuffleService.");
    const { status, stderr } = template("--set", "stagingServer.enabled=false", "--set", set);
    expect(status).not.toBe(0);
    expect(stderr).toContain(message);
  });

  test.each(gatewayContradictions)("rejects %s of the gateway", (values, message) => {
    const valid = "image=r/i:1,enabled=true,passwordSecret=users";
    const set = `${valid},${values}`.replaceAll(/(^|,)(?=\w)/g, "$1gateway.");
    const { status, stderr } = template("--set", "stagingServer.enabled=false", "--set", set);
    expect(status).not.toBe(0);
    expect(stderr).toContain(message);
  });

  test.each(agreements)("accepts %s", (values) => {
    const { status, stderr } = template(...image, "--set", values.replaceAll(/(^|,)(?=\w)/g, "$1stagingServer."));
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test("rejects labels that the chart sets", () => {
    const { stderr } = template(
      ...image,
      "--set",
      "commonLabels.a=b,commonLabels.helm\\.sh/chart=c,stagingServer.podLabels.a=d",
    );
    expect(stderr).toContain("commonLabels has helm.sh/chart, but the chart sets this label itself.");
    expect(stderr).toContain("stagingServer.podLabels and commonLabels both have a.");
  });

  test("prints commands that fit the values, as the guide has them", () => {
    // Helm 3 renders notes only with a cluster.
    if (version === "3") return;
    const notes = (...args: readonly string[]) =>
      helm("install", "spark-services", chart, "--namespace", "staging", "--dry-run=client", ...args).stdout.split(
        "NOTES:",
      )[1] ?? "";
    const values = (name: string) => ["--values", join(cases, `${name}.values.yaml`)];
    const guide = readFileSync(join(root, "docs/helm-chart.md"), "utf8");
    const printed = notes("--set", "stagingServer.image=registry.example/firesteel-server:0.1.0");
    const commands = [...printed.matchAll(/^ {2}(\S(?:.*\\\n)*.*)$/gm)].map(([, text = ""]) =>
      text.replaceAll("\n    ", "\n  "),
    );
    expect(commands.map((command) => command.split(" ", 2).join(" "))).toEqual([
      ...["firesteel setup", "firesteel image", "kubectl create", "kubectl port-forward", "spark-submit --deploy-mode"],
    ]);
    for (const command of commands) expect(guide).toContain(command);
    expect(notes(...values("open"))).not.toMatch(/kubectl create token|tokenFile/);
    const certified = notes(...values("bucket"));
    expect(certified).toContain("staging.server.caCertFile=staging-ca.crt");
    expect(certified).toContain("staging.server=https://spark-services-firesteel-staging-server.staging.svc:443");
    expect(notes(...values("restricted"))).toContain("kubectl create token spark-submitter --namespace jobs");
  });

  test("reports all contradictions at once", () => {
    const { stderr } = template("--set", "stagingServer.store.type=s3,stagingServer.tls.source=secret");
    expect(stderr.match(/^- stagingServer\.\S+/gm)).toEqual([
      ...["- stagingServer.image", "- stagingServer.store.type", "- stagingServer.tls.source"],
    ]);
  });

  test.each([
    ["replica=2", /replica\b/],
    ["replicas=two", /replicas/],
    ["image=registry.example/a b", /image/],
    ["store.type=nfs", /type/],
    ["store.s3.location=gs://a", /location/],
    ["store.pvc.accessModes={ReadOnlyMany}", /accessModes/],
    ["options.port=1", /port/],
    ["options.max-blob-size=10", /max-blob-size/],
    ["service.port=0", /port/],
    ["tls.secretName=A_b", /secretName/],
  ])("rejects %s by its schema", (value, named) => {
    const { status, stderr } = template(...image, "--set", `stagingServer.${value}`);
    expect(status).not.toBe(0);
    expect(stderr).toContain("values don't meet the specifications of the schema");
    expect(stderr).toMatch(named);
  });
});
