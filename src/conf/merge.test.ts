import { expect, test } from "vitest";
import { mergeSettings } from "./merge.ts";
import type { Setting, SettingOrigin } from "./setting.ts";

const setting = (origin: SettingOrigin, key: string, value: string): Setting => ({ key, value, origin });

test("takes a key from the first source that contains it, and the last setting within a source", () => {
  const option = { kind: "option", option: "--name" } as const;
  const file = { kind: "file", path: "defaults" } as const;
  const merged = mergeSettings([
    [setting(option, "spark.app.name", "a"), setting(option, "spark.app.name", "b")],
    [setting(file, "spark.app.name", "c"), setting(file, "spark.ui.port", "1"), setting(file, "spark.ui.port", "2")],
  ]);
  expect(merged.settings).toEqual([setting(option, "spark.app.name", "b"), setting(file, "spark.ui.port", "2")]);
});

test("drops and lists keys that do not start with spark.", () => {
  const conf = { kind: "conf" } as const;
  const merged = mergeSettings([[setting(conf, "sparky", "1"), setting(conf, "spark.a", "1"), setting(conf, "", "2")]]);
  expect(merged.settings.map(({ key }) => key)).toEqual(["spark.a"]);
  expect(merged.ignoredKeys).toEqual(["sparky", ""]);
});
