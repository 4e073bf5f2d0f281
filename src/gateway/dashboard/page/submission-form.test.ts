import { expect, test } from "vitest";
import { emptyForm, problemsOf, readForm } from "./submission-form.ts";

test("reads one argument and one setting per line", () => {
  const { body, problems } = readForm({
    ...emptyForm,
    ...{ name: " report ", app: "local:///a.jar", args: "2026-01-01\n\n a b \n" },
    conf: "spark.executor.instances = 4\nspark.driver.extraJavaOptions=-Da=b\n",
  });
  expect(problems).toEqual([]);
  expect(body).toEqual({
    ...{ name: "report", app: "local:///a.jar", args: ["2026-01-01", " a b "] },
    conf: { "spark.executor.instances": "4", "spark.driver.extraJavaOptions": "-Da=b" },
  });
});

test("reports required fields that are empty, and every line that is not a setting", () => {
  const { problems } = readForm({ ...emptyForm, conf: "spark.a=1\nspark.b\n=2" });
  expect(problems.map(({ field, message }) => [field, message])).toEqual([
    ["name", "The name is missing."],
    ["app", "The main file is missing."],
    ["conf", '"spark.b" is not a setting: write key=value.'],
    ["conf", '"" is not a setting: write key=value.'],
  ]);
});

test("assigns problems of the gateway to fields", () => {
  const code = "SUBMIT_ERR_MANIFEST_FIELD";
  const found = problemsOf([
    { code, message: "the request: name is missing.", hint: "Add it." },
    { code, message: "the request: conf.spark.x is a list." },
    { code, message: "The value of spark.executor.instances is not a number." },
    { code, message: "The cluster is full." },
  ]);
  expect(found).toEqual([
    { field: "name", message: "name is missing. Add it." },
    { field: "conf", message: "conf.spark.x is a list." },
    { field: "conf", message: "The value of spark.executor.instances is not a number." },
    { field: undefined, message: "The cluster is full." },
  ]);
});
