import { describe, expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { testRequest } from "../plan/test-driver.ts";
import { loadUserSteps } from "./load-user-steps.ts";

const key = "spark.firesteel.featureSteps";
const contribute = () => ({});

function load(specifiers: string, modules: Readonly<Record<string, unknown>>) {
  return loadUserSteps(testHost({ modules }), testRequest({ settings: { [key]: specifiers } }).conf);
}

describe("a module of a step", () => {
  test.each([
    ["a function by default", { default: contribute }],
    ["an object by default", { default: { contribute } }],
    ["one named step", { step: { transform: contribute } }],
    ["one with the URL of files only", { step: { pushUrl: () => "http://h" } }],
    ["CommonJS", { default: { step: contribute } }],
    ["CommonJS made of ESM", { default: { __esModule: true, default: { contribute } } }],
  ])("can export %s", async (_what, module) => {
    expect(await load("steps/team.mjs", { "steps/team.mjs": module })).toMatchObject({
      ok: true,
      value: [{ name: "team" }],
    });
  });

  test.each([
    [{}],
    [{ default: {} }],
    [{ default: "x" }],
    [{ default: { contribute: 1 } }],
    [{ default: { contribute, name: 7 } }],
    [{ default: { contribute, pushUrl: "http://h" } }],
  ])("cannot export %j", async (module) => {
    expect(await load("m", { m: module })).toMatchObject({
      issues: [{ code: "SUBMIT_ERR_FEATURE_STEP_SHAPE", message: "The module m exports no feature step." }],
    });
  });
});

test("loadUserSteps keeps the order and the names of the steps", async () => {
  const modules = { "./a.mjs": { default: contribute }, pkg: { default: { name: "own", contribute } } };
  const loaded = await load("pkg, ./a.mjs", modules);
  expect(loaded.ok && loaded.value.map(({ name }) => name)).toEqual(["own", "a"]);
});

test("loadUserSteps reports every module that cannot be loaded, in one line each", async () => {
  const modules = { "b.mjs": new SyntaxError("Unexpected token\nan excerpt") };
  expect(await load("a.mjs,b.mjs", modules)).toMatchObject({
    issues: [
      {
        code: "SUBMIT_ERR_FEATURE_STEP_MODULE",
        message: `Cannot load the module a.mjs of ${key}: Cannot find module 'a.mjs'`,
      },
      { message: `Cannot load the module b.mjs of ${key}: Unexpected token` },
    ],
  });
});
