import { describe, expect, test } from "vitest";
import type { ImageResult, Images } from "../images/image.ts";
import { imagePulls } from "./image-pulls.ts";

const container = { name: "a", image: "spark:4.0" };

/** Creates pulls of the images that `find` returns, with a clock that the test controls. */
function pulls(find: Images["find"]) {
  const clock = { ms: 0 };
  const events: string[] = [];
  const { pull } = imagePulls({ find }, () => clock.ms);
  return {
    clock,
    pull: async (policy = "IfNotPresent") => {
      events.length = 0;
      const result = await pull({ ...container, imagePullPolicy: policy }, ({ reason, message }) =>
        events.push(`${reason}: ${message}`),
      );
      return { result, events: [...events] };
    },
  };
}

const failure: ImageResult = { reason: "ErrImagePull", message: "no network" };

describe("an image that is not present", () => {
  test("is fetched, and the event has the duration", async () => {
    const image: ImageResult = {
      image: {
        ...{ reference: "spark:4.0", id: "sha256:1", mounts: [], entrypoint: [], command: [], env: {} },
        ...{ fieldEnv: {}, workingDirectory: "/", uid: 0, gid: 0, users: "" },
      },
    };
    const { pull, clock } = pulls(async () => ({
      fetch: async () => {
        clock.ms += 25_300;
        return image;
      },
    }));
    expect(await pull()).toEqual({
      result: image,
      events: [
        'Pulling: Pulling image "spark:4.0"',
        'Pulled: Successfully pulled image "spark:4.0" in 25.3s (25.3s including waiting)',
      ],
    });
  });

  test("reports the reason of a failed pull, backs off and retries", async () => {
    const { pull, clock } = pulls(async () => ({ fetch: async () => failure }));
    expect(await pull()).toMatchObject({
      result: { reason: "ErrImagePull", message: "no network" },
      events: [
        'Pulling: Pulling image "spark:4.0"',
        'Failed: Failed to pull image "spark:4.0": no network',
        "Failed: Error: ErrImagePull",
      ],
    });
    expect((await pull()).result).toMatchObject({
      reason: "ImagePullBackOff",
      message: 'Back-off pulling image "spark:4.0": ErrImagePull: no network',
    });
    clock.ms += 10_000;
    expect((await pull()).events[0]).toBe('Pulling: Pulling image "spark:4.0"');
  });

  test("is not fetched with pull policy Never", async () => {
    const { pull } = pulls(async () => ({ fetch: () => Promise.reject(new Error("fetched")) }));
    expect((await pull("Never")).result).toMatchObject({ reason: "ErrImageNeverPull" });
  });
});
