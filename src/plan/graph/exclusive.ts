/** Which components of a graph never both run, because one branch decides between them. */
import type { Component } from '../../protocol/feature.ts';

export function areExclusive(
  components: readonly Component[],
): (one: string, other: string) => boolean {
  const byId = new Map(components.map((one) => [one.id, one]));
  const known = new Map<string, ReadonlySet<string>>();
  /** Everything that has to be decided in a certain way for this one to run: `branch yes`. */
  const guards = (id: string): ReadonlySet<string> => {
    const found = known.get(id);
    if (found !== undefined) return found;
    const { onlyIf = [], dependsOn = [], node } = byId.get(id) ?? {};
    const before = dependsOn.map(guards);
    const [first = new Set<string>(), ...rest] = before;
    // What is skipped takes all with it that comes after it. Where branches meet, all of them have to be skipped.
    const meets = node?.kind === 'merge' || node?.kind === 'round';
    const inherited = meets
      ? [...first].filter((guard) => rest.every((one) => one.has(guard)))
      : before.flatMap((one) => [...one]);
    const all = new Set([...inherited, ...onlyIf.map((one) => `${one.node} ${one.is}`)]);
    known.set(id, all);
    return all;
  };
  return (one, other) => {
    const others = guards(other);
    return [...guards(one)].some((guard) => others.has(opposite(guard)));
  };
}

function opposite(guard: string): string {
  return guard.endsWith(' yes') ? guard.replace(/ yes$/, ' no') : guard.replace(/ no$/, ' yes');
}
