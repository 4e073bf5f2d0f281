/** A path of a history server, or of the page to which a reader is led. */
export interface HistoryPath {
  readonly kind: "page" | "redirect";
  readonly path: string;
}

/** Segments as in the links of Spark's pages: others could lead the server to the pages of another application. */
const segments = /^(\/(?!\.)[\w.~!$&'()*+,=:@-]*)*$/;
/** Page of a driver, such as `/stages/`. */
const driverPage = /^\/[A-Za-z]+\/$/;

/**
 * Finds the path of a history server for a path in the pages of one application. Others, such as the list of applications and the pages of a
 * driver that has ended, lead to a page of the application.
 *
 * Source: Spark, HistoryServer and ApiRootResource.
 */
export function historyPath(appId: string, path: string): HistoryPath {
  const own = ["/static", `/history/${appId}`, `/api/v1/applications/${appId}`];
  const isOwn = own.some((root) => path === root || path.startsWith(`${root}/`));
  if (isOwn && segments.test(path)) return { kind: "page", path };
  return { kind: "redirect", path: `/history/${appId}${driverPage.test(path) ? path : "/jobs/"}` };
}
