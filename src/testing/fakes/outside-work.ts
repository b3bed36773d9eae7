/** Work that a real component does outside of this process, such as a database. `settle` waits for it too. */

let going = 0;

export function isWorkOutside(): boolean {
  return going > 0;
}

/** The same object. As long as a promise of one of its methods is open, there is work outside. */
export function countsAsWork<Target extends object>(target: Target): Target {
  return new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]): unknown => {
        const result: unknown = Reflect.apply(member, target, given);
        if (!(result instanceof Promise)) return result;
        going += 1;
        return result.finally(() => void (going -= 1));
      };
    },
  });
}
