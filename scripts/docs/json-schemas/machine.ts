import * as v from "valibot";
import { choice, count, flag, text, textOrNull } from "./fields.ts";

/** Output of `image list`. */
export const imageDefinitions = v.array(
  v.strictObject({ name: text("Name for `image build`"), summary: text("Content of the image") }),
);

/** Output of `image build`. */
export const builtImages = v.array(
  v.strictObject({
    name: text("Name of the image definition"),
    tag: text("Tag of the built image"),
    engine: text("Program that built it, e.g. `docker`"),
  }),
);

/** Output of `cluster start` and `cluster status`. */
export const cluster = v.variant("running", [
  v.strictObject({ name: text("Name of the cluster"), running: v.literal(false) }),
  v.strictObject({
    name: text("Name of the cluster"),
    running: v.literal(true),
    url: text("URL of the API"),
    pid: count("ID of the cluster's process"),
    apiOnly: flag("Whether no pod runs"),
    sandbox: text("Sandbox of the pods"),
    network: text("Network of the pods: `pod`, or `shared` with this machine"),
    notices: v.array(text("Notice for the user")),
    sparkVersions: v.array(text("Version of Spark in the images")),
    shuffle: v.exactOptional(
      v.strictObject({ port: count("Port of the shuffle service"), directory: text("Directory of shuffle files") }),
    ),
    started: text("Start (RFC 3339)"),
    kubeconfig: text("Path of the kubeconfig"),
    log: text("Path of the log"),
  }),
]);

/** Output of `cluster image list` and `cluster image load`. */
export const clusterImages = v.array(
  v.strictObject({
    name: textOrNull("Name of the image"),
    id: text("ID, `sha256:…`"),
    sizeBytes: count("Size in bytes"),
  }),
);

/** Output of `cluster ui`. */
export const clusterUi = v.strictObject({
  namespace: text("Namespace of the driver's pod"),
  pod: text("Name of the driver's pod"),
  application: text("Spark's application ID"),
  name: text("Name of the application"),
  url: text("URL of the application's pages"),
});

const chaosRule = v.strictObject({
  fault: text("Injected fault, e.g. `503`"),
  verbs: v.exactOptional(v.array(text("Verb, e.g. `watch`"))),
  resources: v.exactOptional(v.array(text("Resource, e.g. `pods/log`"))),
  path: v.exactOptional(text("Path of the URL")),
  namespace: v.exactOptional(text("Namespace")),
  object: v.exactOptional(text("Name of the object")),
  user: v.exactOptional(text("User of the request")),
  userAgent: v.exactOptional(text("User agent of the request")),
  image: v.exactOptional(text("Image reference")),
  skip: v.exactOptional(count("Matches that pass first")),
  times: v.exactOptional(count("Maximum number of faults")),
  probability: v.exactOptional(v.pipe(v.number(), v.description("Probability of the fault"))),
  seed: v.exactOptional(count("Seed of the random choice")),
  forMs: v.exactOptional(count("Duration of the rule, in ms")),
  delayMs: v.exactOptional(count("Delay, in ms")),
  retryAfterSeconds: v.exactOptional(count("Header Retry-After, in seconds")),
  message: v.exactOptional(text("Message of the response")),
  done: v.exactOptional(flag("Whether the API executes the request")),
  opened: v.exactOptional(flag("Whether open streams are affected")),
});

/** Output of `cluster chaos add`. */
export const chaosEntry = v.strictObject({
  id: text("ID of the rule"),
  rule: chaosRule,
  seed: count("Seed of the random choice"),
  seen: count("Matching requests"),
  injected: count("Injected faults"),
  until: v.exactOptional(text("End of the rule (RFC 3339)")),
});

/** Output of `cluster chaos remove`. */
export const removedChaosRule = v.strictObject({ id: text("ID of the removed rule") });

/** Output of the other commands of `cluster chaos`. */
export const chaosState = v.strictObject({
  rules: v.array(chaosEntry),
  node: choice(["ready", "lost", "gone", "none"], "State of the node; `none` if no pod runs"),
  clockOffsetMs: count("Difference of the cluster's clock, in ms"),
});
