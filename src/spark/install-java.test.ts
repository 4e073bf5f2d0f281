import { describe, expect, test } from "vitest";
import { showProgress } from "../host/progress.ts";
import type { TestChild } from "../host/test-children.ts";
import { type TestHost, testHost } from "../host/test-host.ts";
import { findJava } from "./find-java.ts";

const jvm = "usr/lib/jvm/java-17-openjdk-amd64";
const packageFiles: Readonly<Record<string, string>> = {
  [`${jvm}/bin/java`]: "",
  [`${jvm}/release`]: 'JAVA_VERSION="17.0.15"',
  "etc/java-17-openjdk/jvm-amd64.cfg": "-server KNOWN",
};
const packageLinks: Readonly<Record<string, string>> = {
  [`${jvm}/lib/jvm.cfg`]: "/etc/java-17-openjdk/jvm-amd64.cfg",
  [`${jvm}/lib/security/cacerts`]: "/etc/ssl/certs/java/cacerts",
  "usr/lib/jvm/java-1.17.0-openjdk-amd64": "java-17-openjdk-amd64",
};

interface Debian {
  readonly systemLists?: boolean;
  readonly network?: boolean;
  readonly library?: string;
}

/** Debian without Java. `library` is a library that it lacks and that a dependency has. */
function debian({ systemLists = true, network = true, library }: Debian = {}): TestHost {
  const play = (child: TestChild) => {
    const { files } = host;
    const commandLine = child.args.join(" ");
    const fail = (text: string) => {
      child.write(2, text);
      child.exit(100);
    };
    const makeParent = (path: string) => files.makeDirectory(path.slice(0, path.lastIndexOf("/")));
    const put = (path: string, write: () => void) => {
      makeParent(path);
      write();
    };
    if (commandLine.includes("update")) return network ? child.exit(0) : fail("E: no network\n");
    if (commandLine.includes("download")) {
      const known = systemLists || commandLine.includes("Dir::State::lists");
      if (!known) return fail("E: Unable to locate package openjdk-17-jre-headless\n");
      const name = child.args.at(-1) ?? "";
      if (commandLine.includes("--print-uris")) child.write(1, `'http://d/${name}.deb' ${name}.deb 100 SHA256:0\n`);
      else files.write(`${child.options.cwd}/${name}.deb`, "");
    }
    if (child.command === "apt-cache") child.write(1, "openjdk\n  Depends: libz\n  Depends: <virtual>\n");
    if (child.command === "dpkg" && child.args[0] === "-x") {
      const [, deb = "", root = ""] = child.args;
      if (deb.endsWith("/libz.deb")) {
        put(`${root}/usr/lib/x86/libz.so.1`, () => files.write(`${root}/usr/lib/x86/libz.so.1`, "z"));
      } else {
        for (const [name, text] of Object.entries(packageFiles)) {
          put(`${root}/${name}`, () => files.write(`${root}/${name}`, text));
        }
        for (const [name, to] of Object.entries(packageLinks)) {
          put(`${root}/${name}`, () => files.link(to, `${root}/${name}`));
        }
      }
    }
    if (child.command.endsWith("/bin/java") && library !== undefined) {
      const lib = child.command.replace("/bin/java", `/lib/${library}`);
      if (files.info(lib) === undefined) return fail(`error while loading shared libraries: ${library}`);
    }
    child.exit(0);
  };
  const host = testHost({ env: { FIRESTEEL_CACHE: "/c", PATH: "/usr/bin" }, spawn: play });
  return host;
}

const find = (host: TestHost) => host.settle(findJava(host, showProgress(host)));
const home = "/c/java/openjdk-17-jre-headless";

describe("a Java for a Debian that has none", () => {
  test("is the system's package, unpacked into Firesteel's cache, without links to files that root would install", async () => {
    const host = debian();
    expect(await find(host)).toEqual({ home, version: "17.0.15", major: 17 });
    expect(host.files.readText(`${home}/lib/jvm.cfg`)).toBe("-server KNOWN");
    expect(host.files.info(`${home}/lib/security/cacerts`, { followLinks: false })?.kind).toBe("file");
    expect(host.files.list("/c/java")).toEqual(["openjdk-17-jre-headless"]);
  });

  test("is found with fresh package lists when the system has none", async () => {
    const host = debian({ systemLists: false });
    expect((await find(host)).home).toBe(home);
  });

  test("gets the libraries that the system lacks", { tags: "long" }, async () => {
    const host = debian({ library: "libz.so.1" });
    await find(host);
    expect(host.files.readText(`${home}/lib/libz.so.1`)).toBe("z");
    await expect(find(debian({ library: "libother.so" }))).rejects.toThrow(/does not run: .*libother\.so/);
  });

  test("without a network is not available, and the error says what to install", async () => {
    const host = debian({ systemLists: false, network: false });
    await expect(find(host)).rejects.toMatchObject({
      code: "SUBMIT_ERR_JAVA_MISSING",
      message: expect.stringMatching(/Unable to locate package .*; E: no network/),
      issues: [{ hint: expect.stringMatching(/apt-get install openjdk-17-jre-headless/) }],
    });
    expect(host.files.list("/c/java")).toEqual([]);
  });

  test("is not searched with apt on other systems", async () => {
    const host = testHost({ platform: "darwin" });
    await expect(find(host)).rejects.toMatchObject({
      issues: [{ hint: expect.stringMatching(/brew install/) }],
    });
  });
});
