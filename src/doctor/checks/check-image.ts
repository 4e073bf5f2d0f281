import { taintsOf } from "../../diagnosis/resources.ts";
import { keys } from "../../diagnosis/settings.ts";
import { matchesNode } from "../../kube/node-requirements.ts";
import { isRepelled } from "../../kube/taints.ts";
import type { KubeResource } from "../../kube/types.ts";
import { isFields } from "../../values/fields.ts";
import type { FetchedImage } from "../fetch/fetch-images.ts";
import { type Finding, ok, skipped } from "../finding.ts";
import type { PlannedPod } from "../submission.ts";

/** The cluster as far as images depend on it. */
interface ImageTarget {
  readonly nodes: readonly KubeResource[];
  readonly pods: readonly PlannedPod[];
}

/** Reports images that their registry does not have, does not give out, or does not have for the nodes. */
export function checkImages(images: readonly FetchedImage[], target: ImageTarget): readonly Finding[] {
  return images.map((image) => checkImage(image, target));
}

function checkImage({ image, roles, facts }: FetchedImage, target: ImageTarget): Finding {
  const isExecutorOnly = !roles.includes("driver");
  const failed = { check: "image", status: "failure", key: isExecutorOnly ? keys.executorImage : keys.image } as const;
  switch (facts.kind) {
    case "present":
      return ok("image", `A node has the image ${image}.`);
    case "made":
      return ok("image", `The embedded cluster makes the image ${image} of the programs of its machine.`);
    case "notLoaded": {
      const cause = isExecutorOnly ? "executor-image-not-found" : "image-not-found";
      const fix = "Correct the name, or load the image: firesteel cluster image load FILE.";
      return { ...failed, cause, reason: `The embedded cluster has no image ${image}, and pulls none.`, fix };
    }
    case "notPulled":
      return {
        ...failed,
        // A node may have an image that is not among the 50 largest, which the kubelet reports.
        ...{ status: "warning", cause: "image-never-pull" },
        reason: `No node reports the image ${image}, and the pull policy Never prevents that nodes pull it.`,
        fix: "Load the image into the nodes, or set another pull policy.",
        key: keys.pullPolicy,
      };
    case "invalid": {
      const cause = isExecutorOnly ? "executor-image-name-invalid" : "image-name-invalid";
      return { ...failed, cause, reason: `${image} is not the name of an image.`, fix: "Correct the name." };
    }
    case "missing": {
      const cause = isExecutorOnly ? "executor-image-not-found" : "image-not-found";
      const fix =
        "Correct the name, or build and push the image: firesteel image build NAME --tag REGISTRY/NAME:TAG --push.";
      return { ...failed, cause, reason: `The registry does not have the image ${image}.`, fix };
    }
    case "unauthorized":
      return {
        ...failed,
        // The nodes may have credentials of their own, and pull secrets may be unreadable for this account.
        ...{ status: "warning", cause: "image-unauthorized", key: keys.pullSecrets },
        reason: `The registry denies the image ${image} to the pull secrets that your account can read.`,
        fix: "Name a pull secret with access to it, unless the nodes have credentials of their own.",
      };
    case "unknown":
      return skipped("image", `Whether the image ${image} exists was not checked. ${facts.reason}`);
    case "found":
      return checkPlatform({ image, platforms: facts.platforms, failed }, target, roles);
  }
}

interface PlatformCheck {
  readonly image: string;
  readonly platforms: readonly string[];
  readonly failed: Pick<Finding, "check" | "status" | "key">;
}

function checkPlatform(
  { image, platforms, failed }: PlatformCheck,
  { nodes, pods }: ImageTarget,
  roles: FetchedImage["roles"],
): Finding {
  const found = ok(
    "image",
    `The registry has the image ${image}${platforms.length === 0 ? "" : ` for ${platforms.join(", ")}`}.`,
  );
  const used = pods.filter(({ role }) => roles.includes(role));
  const open = nodes.filter((node) => used.some((pod) => matchesNode(pod, node) && !isRepelled(pod, taintsOf(node))));
  const needed = [...new Set(open.flatMap(platformsOf))];
  const lacking = needed.filter((platform) => !platforms.includes(platform));
  if (platforms.length === 0 || lacking.length === 0) return found;
  const some = lacking.length < needed.length;
  return {
    ...{ ...failed, status: some ? "warning" : "failure", cause: "image-wrong-platform" },
    reason: `The image ${image} exists for ${platforms.join(", ")}, but ${some ? "some" : "all"} nodes are ${lacking.join(", ")}.`,
    fix: some
      ? "Build it for these nodes, too, or select nodes with kubernetes.io/arch."
      : "Build the image for the platform of the nodes.",
  };
}

function platformsOf({ status }: KubeResource): readonly string[] {
  const info = isFields(status) ? status["nodeInfo"] : undefined;
  if (!isFields(info)) return [];
  const { operatingSystem, architecture } = info;
  return typeof operatingSystem === "string" && typeof architecture === "string"
    ? [`${operatingSystem}/${architecture}`]
    : [];
}
