import { expect, test } from "vitest";
import { pythonOfImage } from "./python-of-image.ts";

const ubuntu = (version: string) => ({
  "org.opencontainers.image.ref.name": "ubuntu",
  "org.opencontainers.image.version": version,
});

test.each([
  ["Docker's image of Python", { PYTHON_VERSION: "3.11.9" }, {}, "3.11"],
  ["a release without a patch level", { PYTHON_VERSION: "3.13" }, ubuntu("22.04"), "3.13"],
  ["Ubuntu 22.04", {}, ubuntu("22.04"), "3.10"],
  ["Ubuntu 24.04", {}, ubuntu("24.04"), "3.12"],
  ["a variable of another program", { PYTHON_VERSION: "2.7" }, {}, undefined],
  ["a later Ubuntu", {}, ubuntu("30.04"), undefined],
  ["an application on Ubuntu with its own version", {}, ubuntu("4.3.0"), undefined],
  ["another base", {}, { ...ubuntu("22.04"), "org.opencontainers.image.ref.name": "other" }, undefined],
])("finds the Python of %s", (_name, env, labels, version) => {
  expect(pythonOfImage({ env, labels })).toBe(version);
});
