import { holdNewSpace } from "../host/small-heap.ts";
import { objectShape } from "../kube/object-shapes.ts";
import { shapeProblem } from "../kube/shape.ts";
import type { ApiResponse } from "../kube/transport.ts";
import type { ListCall } from "./call.ts";
import { type Api, type Exchange, exchange } from "./exchange.ts";
import { type Listed, type Page, pageRequest } from "./list-page.ts";
import { malformedResponse } from "./malformed-response.ts";
import { requireList } from "./require-object.ts";
import { parseResponse } from "./response.ts";
import { type ReadMembers, splitItems } from "./split-items.ts";

/** Maximum number of pages: a server that always names a next page would never end. */
const maxPages = 2000;
/** Maximum size of a page. A single object has at most 1.5 MiB. */
const maxPageBytes = 64 * 1024 * 1024;
/** Maximum number of objects that are held in memory. */
const maxObjects = 200_000;

/** Selection of a long list's objects. */
interface Selection<T, R> {
  readonly select: (object: T) => R;
  /** @default all members of objects, apart from managed fields */
  readonly members?: ReadMembers | undefined;
  /** Content of the pages in front. @default none */
  readonly items?: readonly R[];
  /** Token of the first page. @default the beginning of the list */
  readonly token?: string;
}

/**
 * Lists what `select` returns of all objects from a continue token on. Parses one object at a time as it arrives, while the server writes
 * the next page: at most two pages arrive at the same time, and no text or object of a page stays in memory.
 *
 * @throws SUBMIT_ERR_KUBE_RESPONSE above the limits
 */
export async function listLong<T, R>(api: Api, call: ListCall, selection: Selection<T, R>): Promise<Listed<R>> {
  const letNewSpaceGrow = holdNewSpace();
  try {
    return await listPages(api, call, selection);
  } finally {
    letNewSpaceGrow();
  }
}

async function listPages<T, R>(api: Api, call: ListCall, selection: Selection<T, R>): Promise<Listed<R>> {
  const { token: first } = selection;
  const items = [...(selection.items ?? [])];
  let fetched = fetchPage(api, { ...call, token: first }, selection);
  for (let pages = first === undefined ? 1 : 2; ; pages += 1) {
    const { request } = fetched;
    // The first bytes of a page name the next one.
    const following = fetched.earlyToken.then((token) =>
      token === undefined || call.limit !== undefined ? undefined : fetchPage(api, { ...call, token }, selection),
    );
    const page = await fetched.page;
    items.push(...page.items);
    const { resourceVersion = "", continue: token = "" } = page.metadata ?? {};
    if (token === "" || items.length >= (call.limit ?? Infinity)) return { items, resourceVersion };
    if (pages >= maxPages || items.length >= maxObjects)
      throw malformedResponse(api, request, `the list has more than ${maxObjects} objects or ${maxPages} pages`);
    fetched = (await following) ?? fetchPage(api, { ...call, token }, selection);
  }
}

interface FetchedPage<R> {
  readonly request: Exchange;
  /** Continue token, as soon as it has arrived; `undefined` if it is not in front of the items. */
  readonly earlyToken: Promise<string | undefined>;
  readonly page: Promise<SelectedPage<R>>;
}

interface SelectedPage<R> {
  readonly items: readonly R[];
  readonly metadata: Page<unknown>["metadata"];
}

interface PageCall extends ListCall {
  readonly token: string | undefined;
}

function fetchPage<T, R>(api: Api, { token, ...call }: PageCall, selection: Selection<T, R>): FetchedPage<R> {
  const request = pageRequest(call, token);
  let onHead: (head: string) => void = () => {};
  const head = new Promise<string>((resolve) => {
    onHead = resolve;
  });
  const page = exchange(api, request, (response) => readPage({ api, request, response }, selection, onHead));
  const noToken = page.then(
    () => undefined,
    // A page is not awaited if the one before it is malformed.
    () => undefined,
  );
  return { request, earlyToken: Promise.race([head.then(tokenIn), noToken]), page };
}

/** Finds the continue token in front of the items, where the API writes it. */
function tokenIn(head: string): string | undefined {
  return /^\{(?:"\w+":"[^"]*",)*"metadata":\{(?:"\w+":"[^"]*",)*"continue":"([^"\\]+)"/.exec(head)?.[1];
}

interface PageResponse {
  readonly api: Api;
  readonly request: Exchange;
  readonly response: ApiResponse;
}

/** Reads a page, and calls `onHead` with the text in front of its items. @throws SUBMIT_ERR_KUBE_RESPONSE */
async function readPage<T, R>(
  { api, request, response }: PageResponse,
  { select, members }: Selection<T, R>,
  onHead: (head: string) => void,
): Promise<SelectedPage<R>> {
  const items: R[] = [];
  const shape = objectShape(request.type);
  const splitter = splitItems({
    members,
    onItem(json) {
      const object = parseResponse<T>(api, request, json);
      const problem = shapeProblem(object, shape, `items[${items.length}]`);
      if (problem !== undefined) throw malformedResponse(api, request, problem);
      items.push(select(object));
    },
  });
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > maxPageBytes) throw malformedResponse(api, request, `it is longer than ${maxPageBytes} bytes`);
    splitter.add(chunk);
    const head = splitter.head();
    if (head !== undefined) onHead(head);
  }
  const page = parseResponse<Page<T>>(api, request, splitter.end());
  if (splitter.head() === undefined) {
    const { items: objects, metadata } = requireList(api, request, page);
    return { items: (objects ?? []).map(select), metadata };
  }
  const others = page.items?.findIndex((item) => item !== 0) ?? -1;
  if (others !== -1) throw malformedResponse(api, request, `items[${others}] is not an object`);
  return { items, metadata: requireList(api, request, { ...page, items: [] }).metadata };
}
