import { entry, optionalEntry } from "../entry.ts";
import { checked, oneOf, text } from "../kinds.ts";

/** Directory of the environment in the working directory of driver and executors. */
export const pythonEnvDirectory = "python-env";

/** Release of Python, e.g. `3.11`. */
export const pythonEnvVersion = optionalEntry(
  checked(text, (version) => /^3\.\d{1,2}$/.test(version), "Must be a release of Python 3, such as 3.11."),
  {
    key: "spark.firesteel.pythonEnv.version",
    doc: "Release of the Python in the image for which `spark.firesteel.pythonEnv` is built, e.g. `3.11`. The default for images of the embedded cluster is that of the local `python3`, for others what the variables and labels of the image in its registry name.",
    since: "firesteel",
  },
);

/** Machine of the nodes. */
export const pythonEnvPlatform = entry(oneOf(["auto", "x86_64", "aarch64"]), {
  key: "spark.firesteel.pythonEnv.platform",
  doc: "Processors of the nodes for which `spark.firesteel.pythonEnv` is built. `auto`: those of the node selector `kubernetes.io/arch`, on the embedded cluster those of the local machine, else `x86_64`.",
  since: "firesteel",
  default: "auto",
});
