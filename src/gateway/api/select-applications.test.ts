import { expect, test } from "vitest";
import { testApplication, testRecord } from "../model/test-application.ts";
import { selectApplications } from "./select-applications.ts";

/** Lists applications with these numbers; returns the numbers on the page, and `next`. */
function listed(numbers: readonly number[], query: string) {
  const all = numbers.map((number) => testApplication({ record: testRecord({ key: `api-${number}`, number }) }));
  const page = selectApplications(all, new URLSearchParams(query));
  if (!page.ok) return page.issues.map(({ message }) => message);
  return [page.value.applications.map(({ record }) => record.number), page.value.next];
}

test("a page continues after the one before, even if its last application was removed meanwhile", () => {
  expect(listed([8, 9, 10, 11], "limit=2")).toEqual([[11, 10], "10"]);
  expect(listed([8, 9, 11, 12], "limit=2&after=10")).toEqual([[9, 8], undefined]);
  expect(listed([8, 9, 10, 11], "limit=2&order=oldest")).toEqual([[8, 9], "9"]);
  expect(listed([8, 10, 11, 12], "limit=2&order=oldest&after=9")).toEqual([[10, 11], "11"]);
});

test("applications that were stored in another order than they got their numbers are listed by these", () => {
  expect(listed([1, 0, 2], "limit=2")).toEqual([[2, 1], "1"]);
  expect(listed([1, 0, 2], "limit=2&after=1")).toEqual([[0], undefined]);
});

test("a position that no page has is rejected", () => {
  expect(listed([0], "after=api-0")).toEqual([expect.stringContaining("api-0")]);
});
