/** Uses a cluster with the official JavaScript client, and prints the results as one line of JSON. */
import { createRequire } from "node:module";
import { Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const entry = createRequire(`${process.argv[2]}/`).resolve("@kubernetes/client-node");
const k8s = await import(pathToFileURL(entry).href);

const config = new k8s.KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(k8s.CoreV1Api);
const apps = config.makeApiClient(k8s.AppsV1Api);
const objects = k8s.KubernetesObjectApi.makeApiClient(config);
// A retry may use the same cluster.
const namespace = `javascript-${process.pid}`;
const seen = {};

await core.createNamespace({ body: { metadata: { name: namespace } } });
const events = [];
let notify = () => {};
/** Resolves when the informer has reported an event. */
const waitForEvent = (expected) =>
  new Promise((resolve) => {
    notify = () => events.includes(expected) && resolve();
    notify();
  });
const informer = k8s.makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, () =>
  core.listNamespacedConfigMap({ namespace }),
);
for (const type of ["add", "update", "delete"])
  informer.on(type, ({ metadata, data }) => {
    events.push(`${type} ${metadata.name} ${data?.a ?? ""}`.trim());
    notify();
  });
informer.on("error", (error) => {
  // The informer reports its own end as an AbortError.
  if (error.name !== "AbortError") seen.informerError = String(error);
});
await informer.start();

const body = { metadata: { name: "own" }, data: { a: "1" } };
await core.createNamespacedConfigMap({ namespace, body });
await waitForEvent("add own 1");
await core.patchNamespacedConfigMap({
  ...{ namespace, name: "own" },
  body: [{ op: "replace", path: "/data/a", value: "2" }],
});
await waitForEvent("update own 2");
await core.deleteNamespacedConfigMap({ namespace, name: "own" });
await waitForEvent("delete own 2");
await informer.stop();
seen.informer = events.filter((event) => event.includes(" own"));

const manifest = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "applied", namespace },
  data: { k: "v" },
};
const applied = await objects.patch(manifest, undefined, undefined, "tester", true, k8s.PatchStrategy.ServerSideApply);
seen.applied = applied.data;
await objects.read({ ...manifest, metadata: { name: "nothing", namespace } }).catch((error) => {
  seen.missing = { code: error.code, reason: JSON.parse(error.body).reason };
});

const container = { image: "busybox:1", imagePullPolicy: "IfNotPresent", name: "main" };
await core.createNamespacedPod({
  namespace,
  body: {
    metadata: { name: "pod" },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [{ ...container, command: ["sh", "-c", "echo a line; exec sleep 1000"] }],
    },
  },
});
await new Promise((resolve, reject) => {
  new k8s.Watch(config)
    .watch(
      `/api/v1/namespaces/${namespace}/pods`,
      { fieldSelector: "metadata.name=pod" },
      (_, pod) => pod.status.phase === "Running" && resolve(),
      reject,
    )
    .catch(reject);
});
const sink = () => {
  const chunks = [];
  const write = (chunk, _, done) => {
    chunks.push(chunk);
    done();
  };
  return { stream: new Writable({ write }), text: () => Buffer.concat(chunks).toString() };
};
const out = sink();
const error = sink();
const status = await new Promise((resolve, reject) => {
  const command = ["sh", "-c", "echo out; echo err >&2; exit 4"];
  new k8s.Exec(config)
    .exec(namespace, "pod", "main", command, out.stream, error.stream, null, false, resolve)
    .catch(reject);
});
seen.exec = {
  out: out.text(),
  error: error.text(),
  reason: status.reason,
  code: status.details.causes[0].message,
};
const log = sink();
await new k8s.Log(config).log(namespace, "pod", "main", log.stream, { follow: false, tailLines: 1 });
await new Promise((resolve) => {
  log.stream.on("close", resolve);
  log.stream.on("finish", resolve);
});
seen.log = log.text();

const labels = { app: "x" };
await apps.createNamespacedDeployment({
  namespace,
  body: {
    metadata: { name: "web" },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ ...container, command: ["sleep", "1000"] }] },
      },
    },
  },
});
/** Controllers write the deployment's status at the same time, so that a replacement may come too late. */
const replaceScale = async (replicas) => {
  const scale = await apps.readNamespacedDeploymentScale({ namespace, name: "web" });
  scale.spec.replicas = replicas;
  try {
    return await apps.replaceNamespacedDeploymentScale({ namespace, name: "web", body: scale });
  } catch (error) {
    if (error.code !== 409) throw error;
    return replaceScale(replicas);
  }
};
seen.scaled = (await replaceScale(2)).spec.replicas;
await apps.deleteNamespacedDeployment({ namespace, name: "web", propagationPolicy: "Foreground" });
await core.deleteNamespace({ name: namespace });
console.log(JSON.stringify(seen));
process.exit(0);
