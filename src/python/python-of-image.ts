/** Python of the package `python3` of each release of Ubuntu, on which the images of Spark and of Java are based. */
const ubuntuPython: Readonly<Record<string, string>> = { "20.04": "3.8", "22.04": "3.10", "24.04": "3.12" };

interface ImageMetadata {
  readonly env: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Returns the release of Python of an image, e.g. `3.11`: that of the variable of Docker's official images of Python, else that of the Ubuntu
 * which labels name. `undefined` if the image has neither.
 */
export function pythonOfImage({ env, labels }: ImageMetadata): string | undefined {
  const [, ofVariable] = /^(3\.\d+)(?:\.|$)/.exec(env["PYTHON_VERSION"] ?? "") ?? [];
  if (ofVariable !== undefined) return ofVariable;
  if (labels["org.opencontainers.image.ref.name"] !== "ubuntu") return undefined;
  return ubuntuPython[labels["org.opencontainers.image.version"] ?? ""];
}
