const loopbackNames = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Returns whether the header `Host` names the loopback address or an allowed name. A page can give its own host name the address of
 * the gateway, and then it has the gateway's origin (DNS rebinding). Its requests have its own name.
 */
export function isAllowedHost(header: string | undefined, allowed: readonly string[]): boolean {
  // Browsers always send it.
  if (header === undefined) return true;
  const [, name = ""] = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(header.toLowerCase()) ?? [];
  return loopbackNames.test(name) || allowed.includes(name);
}
