import { describe, expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { findEnvironmentSource } from "./environment-source.ts";

function find(text: string, files: Readonly<Record<string, string>> = {}) {
  const host = testHost({ cwd: "/w", files });
  const found = findEnvironmentSource(host, text);
  return found.ok ? found.value : found.issues.map(({ message }) => message);
}

describe("a Python environment", () => {
  test.each([
    ["requirements.txt", { "/w/requirements.txt": "" }, { kind: "requirements", path: "/w/requirements.txt" }],
    ["/p/dev.txt", { "/p/dev.txt": "" }, { kind: "requirements", path: "/p/dev.txt" }],
    ["pyproject.toml", { "/w/pyproject.toml": "" }, { kind: "project", path: "/w/pyproject.toml" }],
    [
      "p/",
      { "/w/p/pyproject.toml": "", "/w/p/requirements.txt": "" },
      { kind: "project", path: "/w/p/pyproject.toml" },
    ],
    ["p", { "/w/p/requirements.txt": "" }, { kind: "requirements", path: "/w/p/requirements.txt" }],
    ["e.tar.gz", { "/w/e.tar.gz": "" }, { kind: "archive", path: "/w/e.tar.gz" }],
    ["conda", { "/w/conda/bin/python": "" }, { kind: "interpreter", path: "/w/conda" }],
    [
      ".venv",
      { "/w/.venv/pyvenv.cfg": "", "/w/.venv/bin/python": "", "/w/.venv/lib/python3.11/site-packages/a.py": "" },
      { kind: "venv", path: "/w/.venv", sitePackages: "/w/.venv/lib/python3.11/site-packages", version: "3.11" },
    ],
  ] as const)("%s is what its content says", (text, files, expected) => {
    expect(find(text, files)).toEqual(expected);
  });

  test.each([
    ["none", {}, "it does not exist"],
    ["job.py", { "/w/job.py": "" }, "its name is not one of pyproject.toml, *.txt, *.tar.gz, *.tgz and *.zip"],
    [
      "d",
      { "/w/d/x": "" },
      "the directory contains neither pyvenv.cfg, bin/python, pyproject.toml nor requirements.txt",
    ],
    [
      "d",
      { "/w/d/pyvenv.cfg": "" },
      "the directory contains neither pyvenv.cfg, bin/python, pyproject.toml nor requirements.txt",
    ],
  ] as const)("%s with %j is rejected (SUBMIT_ERR_PYTHON_ENV)", (text, files, reason) => {
    expect(find(text, files)).toEqual([`Cannot use the Python environment ${text}: ${reason}.`]);
  });
});
