import type { PinnedGate } from '../../protocol/pinned-settings.ts';

/** The place of the next gate, and of those after it that may run beside it and depend on none of them. */
export function placesSideBySide(gates: readonly PinnedGate[], first: number): readonly number[] {
  const places = [first];
  const names = new Set([gates[first]?.name]);
  for (let place = first + 1; gates[first]?.parallelSafe === true; place += 1) {
    const gate = gates[place];
    if (gate?.parallelSafe !== true) break;
    if (gate.dependsOn?.some((name) => names.has(name)) === true) break;
    places.push(place);
    names.add(gate.name);
  }
  return places;
}
