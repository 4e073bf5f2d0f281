import { statusOf } from "../kube/status.ts";
import type { ListCall } from "./call.ts";
import { type Api, type Exchange, exchange } from "./exchange.ts";
import { malformedResponse } from "./malformed-response.ts";
import { requireList } from "./require-object.ts";
import { readJson } from "./response.ts";
import { aboutCollection } from "./target.ts";

interface Page<T> {
  readonly items?: T[] | null;
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
}

const pageSize = 500;
/** Maximum number of pages: a server that always names a next page would never end. */
const maxPages = 2000;
/** Maximum number of objects that are held in memory. */
const maxObjects = 200_000;

/**
 * Lists what `select` returns of all objects of a collection, in pages. Starts again, once, when the continue token has expired (410).
 *
 * @throws SUBMIT_ERR_KUBE_RESPONSE above the limits
 */
export async function listAll<T, R>(
  api: Api,
  call: ListCall,
  select: (object: T) => R,
): Promise<{ items: R[]; resourceVersion: string }> {
  try {
    return await listPages(api, call, select);
  } catch (error) {
    if (statusOf(error)?.code === 410) return listPages(api, call, select);
    throw error;
  }
}

async function listPages<T, R>(
  api: Api,
  call: ListCall,
  select: (object: T) => R,
): Promise<{ items: R[]; resourceVersion: string }> {
  const { labelSelector, fieldSelector, limit } = call;
  const items: R[] = [];
  let token: string | undefined;
  for (let pages = 1; ; pages += 1) {
    const query = {
      continue: token,
      fieldSelector,
      labelSelector,
      limit: Math.min(limit ?? pageSize, pageSize),
    };
    const request: Exchange = { ...aboutCollection(call, "list", query), method: "GET" };
    const page: Page<T> = await exchange(api, request, async (response) =>
      requireList(api, request, await readJson<Page<T>>(api, request, response)),
    );
    items.push(...(page.items ?? []).map(select));
    token = page.metadata?.continue;
    const isEnough = limit !== undefined && items.length >= limit;
    if (isEnough || token === undefined || token === "") {
      return { items, resourceVersion: page.metadata?.resourceVersion ?? "" };
    }
    if (pages >= maxPages || items.length >= maxObjects)
      throw malformedResponse(api, request, `the list has more than ${maxObjects} objects or ${maxPages} pages`);
  }
}
