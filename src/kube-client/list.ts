import { statusOf } from "../kube/status.ts";
import type { ListCall } from "./call.ts";
import { type Api, exchange } from "./exchange.ts";
import { type Listed, type Page, pageRequest } from "./list-page.ts";
import { requireList } from "./require-object.ts";
import { readJson } from "./response.ts";

/**
 * Lists what `select` returns of all objects of a collection, in pages. Starts again, once, when the continue token has expired (410).
 *
 * @throws SUBMIT_ERR_KUBE_RESPONSE above the limits
 */
export async function listAll<T, R>(api: Api, call: ListCall, select: (object: T) => R): Promise<Listed<R>> {
  try {
    return await listPages(api, call, select);
  } catch (error) {
    if (statusOf(error)?.code === 410) return listPages(api, call, select);
    throw error;
  }
}

async function listPages<T, R>(api: Api, call: ListCall, select: (object: T) => R): Promise<Listed<R>> {
  const request = pageRequest(call, undefined);
  const page: Page<T> = await exchange(api, request, async (response) =>
    requireList(api, request, await readJson<Page<T>>(api, request, response)),
  );
  const items = (page.items ?? []).map(select);
  const { resourceVersion = "", continue: token = "" } = page.metadata ?? {};
  if (token === "" || items.length >= (call.limit ?? Infinity)) return { items, resourceVersion };
  const { listFollowingPages } = await import("./long-list.ts");
  return listFollowingPages(api, call, { select, items, token });
}
