import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { firstMissing, hasIndex, parseIndexes, printIndexes, sizeOf, sizeOfOverlap, withIndexes } from "./index-set.ts";

const indexes = fc.array(fc.nat(40));

describe("completion indexes", () => {
  test("are printed as Kubernetes prints them", () => {
    expect(printIndexes(withIndexes([], [7, 1, 3, 4, 5, 8]))).toBe("1,3-5,7,8");
  });

  test("below the limit are read back", () => {
    fc.assert(
      fc.property(indexes, fc.nat(40), (numbers, limit) => {
        const all = withIndexes([], numbers);
        const read = parseIndexes(printIndexes(all), limit);
        for (let index = 0; index <= 40; index++)
          expect(hasIndex(read, index)).toBe(index < limit && numbers.includes(index));
      }),
    );
  });

  test("are counted and compared like sets", () => {
    fc.assert(
      fc.property(indexes, indexes, (a, b) => {
        const [left, right] = [new Set(a), new Set(b)];
        expect(sizeOf(withIndexes([], a))).toBe(left.size);
        const common = [...left].filter((index) => right.has(index)).length;
        expect(sizeOfOverlap(withIndexes([], a), withIndexes([], b))).toBe(common);
      }),
    );
  });

  test("that are missing are the lowest ones", () => {
    expect(firstMissing(withIndexes([], [0, 1, 4]), 8, 3)).toEqual([2, 3, 5]);
    expect(firstMissing([], 2, 5)).toEqual([0, 1]);
    expect(firstMissing(withIndexes([], [0, 9]), 3, 5)).toEqual([1, 2]);
  });
});
