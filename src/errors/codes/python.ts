import { define } from "../error-code-entry.ts";

/** Codes about Python environments. */
export const pythonCodes = {
  SUBMIT_ERR_PYTHON_ENV: define<{ path: string; reason: string }>({
    kind: "dependency",
    text: ({ path, reason }) => `Cannot use the Python environment ${path}: ${reason}.`,
    hint: () =>
      "Pass a requirements file, a pyproject.toml, a directory with one of them or with an environment, or an archive of venv-pack or conda-pack.",
  }),
  SUBMIT_ERR_PYTHON_ENV_VERSION: define<{ image: string; key: string; reason: string | undefined }>({
    kind: "setting",
    text: ({ image, key, reason }) =>
      `The environment cannot be built: the release of Python in the image ${image} is not known, and ${key} is not set.${reason === undefined ? "" : ` Its registry did not respond: ${reason}.`}`,
    hint: ({ image, key }) =>
      `Set ${key} to the release that this command prints: docker run --rm --entrypoint python3 ${image} --version.`,
  }),
  SUBMIT_ERR_PYTHON_ENV_MISMATCH: define<{ path: string; version: string; expected: string }>({
    kind: "dependency",
    text: ({ path, version, expected }) =>
      `The environment ${path} is for Python ${version}, but the image has Python ${expected}.`,
    hint: ({ expected }) => `Create it again with python${expected}, or pass its requirements file instead.`,
  }),
  SUBMIT_ERR_PYTHON_ENV_INSTALLER: define<{ path: string }>({
    kind: "environment",
    text: ({ path }) => `The environment of ${path} cannot be built: this machine has neither uv nor pip.`,
    hint: () => "Install uv (https://docs.astral.sh/uv/), or Python with pip.",
  }),
  SUBMIT_ERR_PYTHON_ENV_BUILD: define<{ path: string; tool: string; code: number }>({
    kind: "dependency",
    text: ({ path, tool, code }) =>
      `The environment of ${path} cannot be built: ${tool} failed with exit code ${code}.`,
    hint: () =>
      "See its output above. For another Python or another processor than yours, packages need wheels for Linux: choose versions that have them.",
  }),
};
