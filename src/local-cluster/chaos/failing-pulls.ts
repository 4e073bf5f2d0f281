import { parseImageReference, printImageReference } from "../../values/image-reference.ts";
import type { Images } from "../images/image.ts";
import type { ChaosRules } from "./chaos-rules.ts";
import { isLike } from "./matches-request.ts";

/** Adds pull failures to images, including images that are already present. */
export function failingPulls(images: Images, rules: ChaosRules): Images {
  return {
    list: images.list,
    async find(reference) {
      const rule = rules.inject(
        ({ fault, image }) => fault === "image-pull" && (image === undefined || isLike(reference, image)),
      );
      const parsed = parseImageReference(reference);
      if (rule === undefined || "problem" in parsed) return await images.find(reference);
      const name = printImageReference(parsed);
      const cause = rule.message ?? "unexpected status from HEAD request: 503 Service Unavailable";
      const message = `failed to pull and unpack image "${name}": failed to resolve reference "${name}": ${cause}`;
      return { reason: "ErrImagePull", message };
    },
  };
}
