import { failure, type Result, success } from "../errors/issue.ts";
import { absolutePath } from "../host/absolute-path.ts";
import type { Host } from "../host/host.ts";

/** A Python environment as the user names it. Paths are absolute. */
export type EnvironmentSource =
  /** Requirements in pip's format. */
  | { readonly kind: "requirements"; readonly path: string }
  /** `pyproject.toml`, whose dependencies are installed; the project itself is not. */
  | { readonly kind: "project"; readonly path: string }
  /** A virtual environment of venv, virtualenv or uv. */
  | { readonly kind: "venv"; readonly path: string; readonly sitePackages: string; readonly version: string }
  /** A directory with its own interpreter, such as a Conda environment. */
  | { readonly kind: "interpreter"; readonly path: string }
  /** An archive with its own interpreter. */
  | { readonly kind: "archive"; readonly path: string };

/** Whether an environment is built by an installer of packages. */
export function isBuilt({ kind }: EnvironmentSource): boolean {
  return kind === "requirements" || kind === "project";
}

/** Finds out what a path names. Errors: SUBMIT_ERR_PYTHON_ENV. */
export function findEnvironmentSource(host: Pick<Host, "files" | "cwd">, text: string): Result<EnvironmentSource> {
  const path = absolutePath(host, text).replace(/(.)\/+$/, "$1");
  const info = host.files.info(path);
  if (info === undefined) return failure("SUBMIT_ERR_PYTHON_ENV", { path: text, reason: "it does not exist" });
  const found = info.kind === "directory" ? inDirectory(host, path) : fileSource(path);
  if (found !== undefined) return success(found);
  const reason =
    info.kind === "directory"
      ? "the directory contains neither pyvenv.cfg, bin/python, pyproject.toml nor requirements.txt"
      : "its name is not one of pyproject.toml, *.txt, *.tar.gz, *.tgz and *.zip";
  return failure("SUBMIT_ERR_PYTHON_ENV", { path: text, reason });
}

function fileSource(path: string): EnvironmentSource | undefined {
  if (/\.(tar\.gz|tgz|zip)$/.test(path)) return { kind: "archive", path };
  if (path.endsWith("/pyproject.toml")) return { kind: "project", path };
  return path.endsWith(".txt") ? { kind: "requirements", path } : undefined;
}

function inDirectory({ files }: Pick<Host, "files">, path: string): EnvironmentSource | undefined {
  if (files.info(`${path}/pyvenv.cfg`) !== undefined) return virtualEnvironment(files, path);
  if (files.info(`${path}/bin/python`) !== undefined) return { kind: "interpreter", path };
  const named = ["pyproject.toml", "requirements.txt"].find((name) => files.info(`${path}/${name}`) !== undefined);
  return named === undefined ? undefined : fileSource(`${path}/${named}`);
}

function virtualEnvironment(files: Host["files"], path: string): EnvironmentSource | undefined {
  for (const name of files.list(`${path}/lib`) ?? []) {
    const version = /^python(3\.\d+)$/.exec(name)?.[1];
    const sitePackages = `${path}/lib/${name}/site-packages`;
    if (version !== undefined && files.info(sitePackages)?.kind === "directory")
      return { kind: "venv", path, sitePackages, version };
  }
  return undefined;
}
