/** Returns an own member of an object: a user's text may be `constructor`, which every object inherits. */
export function ownMember<T>(members: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}
