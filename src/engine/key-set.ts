/**
 * The set of all command keys that a run ever used. Keys such as `attempt-1`, `attempt-2` are stored
 * as ranges, so a history of a million commands still has a snapshot of a few bytes.
 */
import type { CommandKey } from '../base/ids.ts';

type Range = readonly [first: number, last: number];
export type KeySet = { readonly [name: string]: readonly Range[] };

export const NO_KEYS: KeySet = {};

/** A key without a number gets one that no numbered key can have. */
function split(key: CommandKey): readonly [name: string, number: number] {
  const numbered = /^(.*)-(0|[1-9]\d{0,14})$/.exec(key);
  return numbered === null ? [key, -1] : [numbered[1] ?? '', Number(numbered[2])];
}

export function hasKey(set: KeySet, key: CommandKey): boolean {
  const [name, number] = split(key);
  const ranges = Object.hasOwn(set, name) ? (set[name] ?? []) : [];
  return ranges.some(([first, last]) => first <= number && number <= last);
}

export function withKey(set: KeySet, key: CommandKey): KeySet {
  if (hasKey(set, key)) return set;
  const [name, number] = split(key);
  const ranges = Object.hasOwn(set, name) ? (set[name] ?? []) : [];
  const apart = ranges.filter(([first, last]) => last + 1 < number || number + 1 < first);
  const touching = ranges.filter((range) => !apart.includes(range));
  const merged: Range = [
    Math.min(number, ...touching.map(([first]) => first)),
    Math.max(number, ...touching.map(([, last]) => last)),
  ];
  return { ...set, [name]: [...apart, merged].toSorted(([a], [b]) => a - b) };
}
