import { statusOf } from "../kube/status.ts";
import type { ListCall, SelectedListCall } from "./call.ts";
import { type Api, exchange } from "./exchange.ts";
import { type Listed, type Page, pageRequest } from "./list-page.ts";
import { requireList } from "./require-object.ts";
import { readJson } from "./response.ts";

/**
 * Lists all objects of a collection in pages, or what `select` returns of each: then, only one object is in memory. Starts again, once,
 * when the continue token has expired (410).
 *
 * @throws SUBMIT_ERR_KUBE_RESPONSE above the limits
 */
export function listAll<T>(api: Api, call: ListCall): Promise<Listed<T>>;
export function listAll<T, R>(api: Api, call: SelectedListCall, select: (object: T) => R): Promise<Listed<R>>;
export async function listAll<T>(
  api: Api,
  call: SelectedListCall,
  select?: (object: T) => unknown,
): Promise<Listed<unknown>> {
  const list = async () => {
    if (select === undefined) return listPages<T>(api, call);
    const { listLong } = await import("./long-list.ts");
    return listLong(api, call, { select, members: call.members });
  };
  try {
    return await list();
  } catch (error) {
    if (statusOf(error)?.code === 410) return list();
    throw error;
  }
}

async function listPages<T>(api: Api, call: ListCall): Promise<Listed<T>> {
  const request = pageRequest(call, undefined);
  const page: Page<T> = await exchange(api, request, async (response) =>
    requireList(api, request, await readJson<Page<T>>(api, request, response)),
  );
  const items = page.items ?? [];
  const { resourceVersion = "", continue: token = "" } = page.metadata ?? {};
  if (token === "" || items.length >= (call.limit ?? Infinity)) return { items, resourceVersion };
  const { listLong } = await import("./long-list.ts");
  return listLong(api, call, { select: (object: T) => object, items, token });
}
