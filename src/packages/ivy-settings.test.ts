import { expect, test } from "vitest";
import { parseIvySettings } from "./ivy-settings.ts";

const parse = (text: string) =>
  parseIvySettings({ path: "/conf/ivy.xml", text, env: { TOKEN: "sesame" }, home: "/home/me" });

test("lists the repositories of the default resolver's chain in order, with properties replaced", () => {
  const settings = parse(`<ivysettings>
    <property environment="env"/><property name="base" value="https://repo.example/maven"/>
    <settings defaultResolver="main"/>
    <credentials host="repo.example" realm="r" username="me" passwd="\${env.TOKEN}"/>
    <resolvers>
      <ibiblio name="later" m2compatible="true" root="\${base}/later"/>
      <chain name="main">
        <filesystem name="here" m2compatible="true">
          <artifact pattern="\${user.home}/m2/[organisation]/[module]/[revision]/[artifact]-[revision](-[classifier]).[ext]"/>
        </filesystem>
        <ibiblio name="central" m2compatible="true"/>
        <resolver ref="later"/>
      </chain>
    </resolvers></ivysettings>`);
  expect(settings).toEqual({
    ok: true,
    value: {
      repositories: [
        { name: "here", url: "file:/home/me/m2" },
        { name: "central", url: undefined },
        { name: "later", url: "https://repo.example/maven/later" },
      ],
      credentials: new Map([["repo.example", { user: "me", password: "sesame" }]]),
    },
  });
});

test("reports every unsupported element, and guesses nothing", () => {
  const settings = parse(`<ivysettings><settings defaultResolver="main"/><resolvers>
    <chain name="main"><sftp name="far"/><resolver ref="gone"/><resolver ref="main"/><ibiblio name="old" root="http://x"/></chain>
  </resolvers></ivysettings>`);
  expect(settings).toMatchObject({ ok: false, issues: Array(4).fill({ code: "SUBMIT_ERR_IVY_SETTINGS" }) });
  expect(settings.ok ? [] : settings.issues.map(({ message }) => message).join("\n")).toMatch(
    /far \(sftp\)[\s\S]*no resolver gone[\s\S]*main contains itself[\s\S]*old \(ibiblio\)/,
  );
  expect(parse("<ivysettings/>")).toMatchObject({ ok: false });
  expect(parse("<ivysettings>")).toMatchObject({ ok: false });
});
