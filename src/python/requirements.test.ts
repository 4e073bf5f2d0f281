import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { includedFiles, isProvided, withoutProvided } from "./requirements.ts";

const { files } = testHost({
  files: {
    "/p/requirements.txt": "-r base/common.txt\nnumpy==2\n--constraint=limits.txt\n-r https://h/x.txt\n",
    "/p/base/common.txt": "# comment\n-c ../limits.txt\n-r common.txt\n",
    "/p/limits.txt": "numpy<3",
    "/p/spark.txt": "PySpark[sql]==4.0\npy4j\npyspark-client\n -r base/common.txt\nnumpy # pyspark\n",
  },
});

test("lists the files that a requirements file includes", () => {
  expect(includedFiles(files, "/p/requirements.txt")).toEqual(["/p/base/common.txt", "/p/limits.txt"]);
  expect(includedFiles(files, "/p/none.txt")).toEqual([]);
});

test("omits packages of the image, and makes paths absolute", () => {
  expect(withoutProvided(files, "/p/spark.txt")).toEqual({
    lines: ["pyspark-client", "-r /p/base/common.txt", "numpy # pyspark", ""],
    removed: ["PySpark[sql]==4.0", "py4j"],
  });
});

test.each([
  ["pyspark", true],
  ["PySpark>=3.5", true],
  ["pyspark @ https://h/x.whl", true],
  ["pysparkling", false],
  ["-r pyspark", false],
])("knows whether the image provides %s", (requirement, expected) => {
  expect(isProvided(requirement)).toBe(expected);
});
