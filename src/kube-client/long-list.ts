import { freeBuffer } from "../host/free-buffer.ts";
import { holdNewSpace } from "../host/small-heap.ts";
import { objectShape } from "../kube/object-shapes.ts";
import { shapeProblem } from "../kube/shape.ts";
import type { ListCall } from "./call.ts";
import { type Api, type Exchange, exchange } from "./exchange.ts";
import { type Listed, type Page, pageRequest } from "./list-page.ts";
import { malformedResponse } from "./malformed-response.ts";
import { requireList } from "./require-object.ts";
import { parseResponse, readBytes } from "./response.ts";
import { splitItems } from "./split-items.ts";

/** Maximum number of pages: a server that always names a next page would never end. */
const maxPages = 2000;
/** Maximum number of objects that are held in memory. */
const maxObjects = 200_000;
/** Maximum length of a list's metadata in front of its items, with a continue token. */
const maxMetadataBytes = 4096;

/**
 * Lists the pages from a continue token on, and adds what `select` returns of their objects to those of the first page. Parses one object
 * at a time, while the server reads the next page.
 *
 * @throws SUBMIT_ERR_KUBE_RESPONSE above the limits
 */
export async function listFollowingPages<T, R>(
  api: Api,
  call: ListCall,
  beginning: Beginning<T, R>,
): Promise<Listed<R>> {
  const letNewSpaceGrow = holdNewSpace();
  try {
    return await listPages(api, call, beginning);
  } finally {
    letNewSpaceGrow();
  }
}

/** Content of the first page, and the token of the second one. */
interface Beginning<T, R> {
  readonly select: (object: T) => R;
  readonly items: R[];
  readonly token: string;
}

async function listPages<T, R>(
  api: Api,
  call: ListCall,
  { select, items, token: first }: Beginning<T, R>,
): Promise<Listed<R>> {
  let fetched = fetchPage(api, call, first);
  for (let pages = 2; ; pages += 1) {
    const { request } = fetched;
    const json = await fetched.json;
    const early = call.limit === undefined ? earlyToken(json) : undefined;
    const next = early === undefined ? undefined : fetchPage(api, call, early);
    const metadata = readPage<T>(api, { request, json }, (object) => items.push(select(object)));
    // Otherwise, many pages wait for V8's next collection.
    freeBuffer(json);
    const { resourceVersion = "", continue: token = "" } = metadata ?? {};
    if (token === "" || items.length >= (call.limit ?? Infinity)) return { items, resourceVersion };
    if (pages >= maxPages || items.length >= maxObjects)
      throw malformedResponse(api, request, `the list has more than ${maxObjects} objects or ${maxPages} pages`);
    fetched = next ?? fetchPage(api, call, token);
  }
}

interface FetchedPage {
  readonly request: Exchange;
  readonly json: Promise<Buffer>;
}

function fetchPage(api: Api, call: ListCall, token: string): FetchedPage {
  const request = pageRequest(call, token);
  const json = exchange(api, request, (response) => readBytes(api, request, response));
  // A page is not awaited if the one before it is malformed.
  json.catch(() => {});
  return { request, json };
}

/** Finds the continue token in front of the items, where the API writes it. */
function earlyToken(json: Buffer): string | undefined {
  const beginning = json.toString("latin1", 0, maxMetadataBytes);
  return /^\{(?:"\w+":"[^"]*",)*"metadata":\{(?:"\w+":"[^"]*",)*"continue":"([^"\\]+)"/.exec(beginning)?.[1];
}

/** Calls `onObject` for each object of a page. @returns the metadata of the list @throws SUBMIT_ERR_KUBE_RESPONSE */
function readPage<T>(
  api: Api,
  { request, json }: { readonly request: Exchange; readonly json: Buffer },
  onObject: (object: T) => void,
): Page<T>["metadata"] {
  const split = splitItems(json);
  if (split === undefined) {
    const page = requireList(api, request, parseResponse<Page<T>>(api, request, json.toString("utf8")));
    for (const object of page.items ?? []) onObject(object);
    return page.metadata;
  }
  const page = parseResponse<Page<unknown>>(api, request, split.rest);
  const others = page.items?.findIndex((item) => item !== 0) ?? -1;
  if (others !== -1) throw malformedResponse(api, request, `items[${others}] is not an object`);
  const { metadata } = requireList(api, request, { ...page, items: [] });
  const shape = objectShape(request.type);
  let index = 0;
  for (const text of split.items()) {
    const object = parseResponse<T>(api, request, text);
    const problem = shapeProblem(object, shape, `items[${index}]`);
    if (problem !== undefined) throw malformedResponse(api, request, problem);
    onObject(object);
    index += 1;
  }
  return metadata;
}
