import type { Kind, Verb } from "../kinds/kind.ts";
import { podLog } from "../subresources/pod-log.ts";
import type { Action } from "./call.ts";
import { create } from "./create.ts";
import { deleteCollection, deleteOne } from "./delete.ts";
import { get } from "./get.ts";
import { list } from "./list.ts";
import { patch } from "./patch.ts";
import { update } from "./update.ts";
import { watch } from "./watch.ts";

const standard: Readonly<Record<Verb, Action>> = {
  create,
  delete: deleteOne,
  deletecollection: deleteCollection,
  get,
  list,
  patch,
  update,
  watch,
};

/** What a verb does to objects of a kind. */
export function actionOf(_kind: Kind, verb: Verb): Action {
  return standard[verb];
}

const parts: Readonly<Record<string, Readonly<Record<string, Action>>>> = {
  status: { get, patch, update },
  "pods/log": { get: podLog },
};

/** What a verb does to a part of an object; `undefined` when we do not do it. */
export function subresourceAction(kind: Kind, part: string, verb: string): Action | undefined {
  return (parts[`${kind.plural}/${part}`] ?? parts[part])?.[verb];
}
