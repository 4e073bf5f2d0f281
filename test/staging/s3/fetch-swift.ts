import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { call, fetchPeer } from "../../peers/fetch-peer.ts";

const packages = [
  ...["swift-proxy", "swift-account", "swift-container", "swift-object", "swift", "python3-swift"],
  ...["python3-tempita", "python3-paste", "python3-pastedeploy", "python3-greenlet", "python3-dnspython"],
  ...["python3-eventlet", "python3-netifaces", "python3-xattr", "python3-pyeclib", "liberasurecode1"],
  ...["python3-requests", "python3-urllib3", "python3-certifi", "python3-charset-normalizer", "python3-idna"],
  ...["python3-chardet", "python3-lxml", "python3-six", "python3-pkg-resources", "python3-cffi"],
  ...["python3-cffi-backend", "python3-pycparser", "python3-setuptools", "libxslt1.1", "libxml2"],
];

/** The Python that Debian's packages are for. */
export const interpreter = "/usr/bin/python3";

/** Directory with the unpacked packages, or the reason why they are not available. */
export const swift = fetchPeer("swift-s3", "Debian's packages", (directory) => {
  call(interpreter, ["-c", "import sys; assert sys.version_info[:2] >= (3, 9)"]);
  const sandbox = process.getuid?.() === 0 ? ["-o", "APT::Sandbox::User=root"] : [];
  call("apt-get", [...sandbox, "-qq", "download", ...packages], directory);
  for (const name of readdirSync(directory).filter((file) => file.endsWith(".deb"))) {
    call("dpkg", ["-x", join(directory, name), join(directory, "root")]);
    rmSync(join(directory, name));
  }
});

/** Does nothing: loading this file before the tests fetches the packages once, and not in several test files at the same time. */
export function setup(): void {}
