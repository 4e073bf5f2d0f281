import { expect, test } from "vitest";
import { actionOf, subresourceAction } from "./actions.ts";
import { findKind, kinds } from "./kinds/table.ts";
import { list } from "./verbs/list.ts";

test("every verb of every kind has an action", () => {
  for (const kind of kinds) for (const verb of kind.verbs) expect(actionOf(kind, verb)).toBeTypeOf("function");
});

test("every verb of a subresource has an action, except the proxy of nodes", () => {
  const missing = kinds.flatMap((kind) =>
    kind.subresources.flatMap(({ name, verbs }) =>
      verbs.filter((verb) => subresourceAction(kind, name, verb) === undefined).map(() => `${kind.plural}/${name}`),
    ),
  );
  expect([...new Set(missing)]).toEqual(["nodes/proxy"]);
});

test("reviews replace the creation of an object", () => {
  const pods = findKind("", "v1", "pods");
  const review = findKind("authentication.k8s.io", "v1", "tokenreviews");
  if (pods === undefined || review === undefined) throw new Error("no kind");
  expect(actionOf(pods, "list")).toBe(list);
  expect(actionOf(review, "create")).not.toBe(actionOf(pods, "create"));
});
