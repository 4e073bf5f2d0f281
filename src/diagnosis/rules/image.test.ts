import { describe, expect, test } from "vitest";
import { diagnose } from "../diagnose.ts";
import { driverPod, event, executorPod, observe, waiting } from "../test-observation.ts";

const image = "quay.io/data/spark-403:4.3.0";

function reported(text: string, reason = "ImagePullBackOff") {
  const driver = driverPod({ image, states: { main: waiting(reason, text) } });
  const found = diagnose(observe({ driver }));
  expect(found?.message).toContain(image);
  return `${found?.cause} ${found?.isTerminal}`;
}

test("the image of Firesteel's init container has its own next step and setting", () => {
  const refused = "pull access denied, repository does not exist or may require authorization";
  const found = (name: string) => {
    const spec = {
      initContainers: [{ name, image: "firesteel/spark-init-container:0.1.0" }],
      containers: [{ name: "spark-kubernetes-driver", image }],
    };
    const states = { [name]: waiting("ErrImagePull", refused), main: waiting("PodInitializing") };
    return diagnose(observe({ driver: driverPod({ spec, states }) }));
  };
  expect(found("firesteel-localize")).toMatchObject({
    key: "spark.firesteel.staging.initContainer.image",
    nextStep: expect.stringContaining("--staging secret"),
  });
  expect(found("other")).toMatchObject({ key: "spark.kubernetes.driver.podTemplateFile" });
});

describe("the reason for a failed image pull, in the messages of", () => {
  test.each([
    ["CRI-O", "reading manifest 4.3.0 in quay.io/data/spark: manifest unknown", "image-not-found true"],
    [
      "Docker",
      "Error response from daemon: manifest for quay.io/data/spark:4.3.0 not found: manifest unknown: manifest unknown",
      "image-not-found true",
    ],
    [
      "ECR",
      "unexpected status from HEAD request to https://1.dkr.ecr.eu-west-1.amazonaws.com/v2/spark/manifests/4: 404 Not Found",
      "image-not-found true",
    ],
    [
      "Docker Hub",
      `failed to resolve reference "docker.io/library/nope:1": pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`,
      "image-unauthorized true",
    ],
    [
      "Docker without a login",
      "Error response from daemon: Get https://registry.example.com/v2/: no basic auth credentials",
      "image-unauthorized true",
    ],
    [
      "CRI-O without a login",
      "initializing source docker://quay.io/data/spark:4: reading manifest 4 in quay.io/data/spark: unauthorized: access to the requested resource is not authorized",
      "image-unauthorized true",
    ],
    [
      "Docker Hub at its limit",
      "failed to copy: httpReadSeeker: failed open: unexpected status code https://registry-1.docker.io/v2/library/spark/manifests/sha256:1: 429 Too Many Requests - Server message: toomanyrequests: You have reached your unauthenticated pull rate limit",
      "image-rate-limited false",
    ],
    [
      "a registry that is ill",
      "unexpected status from HEAD request to https://r.example.com/v2/x/manifests/4: 503 Service Unavailable",
      "image-registry-error false",
    ],
    [
      "plain HTTP",
      `failed to do request: Head "https://10.0.0.7:5000/v2/spark/manifests/4": http: server gave HTTP response to HTTPS client`,
      "image-registry-tls true",
    ],
    [
      "an old certificate",
      `failed to do request: Head "https://r.example.com/v2/spark/manifests/4": tls: failed to verify certificate: x509: certificate has expired or is not yet valid`,
      "image-registry-tls true",
    ],
    [
      "a name server",
      `failed to do request: Head "https://r.example.invalid/v2/spark/manifests/4": dial tcp: lookup r.example.invalid on 10.96.0.10:53: no such host`,
      "image-registry-unreachable true",
    ],
    [
      "a firewall",
      `failed to do request: Head "https://r.example.com/v2/spark/manifests/4": dial tcp 10.1.2.3:443: i/o timeout`,
      "image-registry-unreachable false",
    ],
    [
      "a slow registry",
      `Get "https://r.example.com/v2/": net/http: TLS handshake timeout`,
      "image-registry-unreachable false",
    ],
    [
      "CRI-O for another platform",
      'choosing image instance: no image found in image index for architecture arm64, variant "v8", OS linux',
      "image-wrong-platform true",
    ],
    [
      "Docker for another platform",
      "no matching manifest for linux/arm64/v8 in the manifest list entries",
      "image-wrong-platform true",
    ],
    [
      "a full disk",
      "failed to extract layer: write /var/lib/containerd/x: no space left on device",
      "image-registry-error false",
    ],
    [
      "containerd about capitals that the kubelet lets pass",
      `failed to parse image reference "Data/spark:1": invalid reference format: repository name must be lowercase`,
      "image-name-invalid true",
    ],
    [
      "Docker about capitals",
      "Error response from daemon: invalid reference format: repository name (Data/spark) must be lowercase",
      "image-name-invalid true",
    ],
  ])("%s", (_who, text, expected) => {
    expect(reported(text)).toBe(expected);
  });

  test("an event, if the status has only the name of the image", () => {
    const driver = driverPod({
      image,
      states: { main: waiting("ImagePullBackOff", `Back-off pulling image "${image}"`) },
    });
    const failed = event(
      "Failed",
      `Failed to pull image "${image}": rpc error: code = Unknown desc = Error response from daemon: manifest for ${image} not found: manifest unknown`,
      { container: "spark-kubernetes-driver" },
    );
    expect(diagnose(observe({ driver, events: [failed] }))).toMatchObject({ cause: "image-not-found" });
  });
});

test("distinguishes an image name, the policy Never and a missing pull secret", () => {
  const states = (reason: string) => ({ image, states: { main: waiting(reason, "text") } });
  expect(diagnose(observe({ driver: driverPod(states("InvalidImageName")) }))?.cause).toBe("image-name-invalid");
  expect(diagnose(observe({ driver: driverPod(states("ErrImageNeverPull")) }))?.cause).toBe("image-never-pull");
  const denied = driverPod({
    image,
    states: { main: waiting("ErrImagePull", "pull access denied: authorization failed") },
  });
  const secret = event(
    "FailedToRetrieveImagePullSecret",
    "Unable to retrieve some image pull secrets (regcred, mirror); attempting to pull the image may not succeed.",
  );
  expect(diagnose(observe({ driver: denied, events: [secret] }))).toMatchObject({
    cause: "image-pull-secret-missing",
    message: expect.stringContaining("regcred, mirror"),
  });
  // The secret does not matter where the image does not exist at all.
  const missing = driverPod({ image, states: { main: waiting("ErrImagePull", "manifest unknown") } });
  expect(diagnose(observe({ driver: missing, events: [secret] }))?.cause).toBe("image-not-found");
});

describe("a slow pull", () => {
  const driver = driverPod({ image, states: { main: waiting("ContainerCreating") } });
  const at = { container: "spark-kubernetes-driver", type: "Normal", second: 3 };
  const pulling = event("Pulling", `Pulling image "${image}"`, at);

  test("is reported after ten seconds as a temporary problem", () => {
    expect(diagnose(observe({ driver, events: [pulling], second: 12 }))).toBeUndefined();
    expect(diagnose(observe({ driver, events: [pulling], second: 13 }))).toMatchObject({
      cause: "image-pull-slow",
      isTerminal: false,
      message: expect.stringContaining(image),
    });
  });

  test("is not reported after the image was pulled", () => {
    const pulled = event("Pulled", "Successfully pulled image", { ...at, second: 20 });
    expect(diagnose(observe({ driver, events: [pulling, pulled], second: 30 }))).toBeUndefined();
  });
});

test("an image of executors is reported as the executors' image, whatever the reason", () => {
  const driver = driverPod({ phase: "Running", states: { main: { running: {} } } });
  const executors = [executorPod({ image, states: { main: waiting("ImagePullBackOff", "401 Unauthorized") } })];
  expect(diagnose(observe({ driver, executors }))).toMatchObject({
    cause: "executor-image-not-found",
    message: expect.stringContaining(image),
  });
  const misnamed = waiting("ErrImagePull", "invalid reference format: repository name must be lowercase");
  expect(diagnose(observe({ driver, executors: [executorPod({ image, states: { main: misnamed } })] }))?.cause).toBe(
    "executor-image-name-invalid",
  );
});

test("an event without an object is not evidence for a pod", () => {
  const driver = driverPod({ image, states: { main: waiting("ImagePullBackOff", "manifest unknown") } });
  const idle: ReturnType<typeof event> = JSON.parse('{"metadata":{"name":"e"},"reason":"FailedScheduling"}');
  expect(diagnose(observe({ driver, events: [idle] }))?.cause).toBe("image-not-found");
});
