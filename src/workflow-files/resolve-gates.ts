/**
 * Finds the gates of a project that a step means. Templates name gates by what they check, because each project has its
 * own commands: `test` means `npm test` here and `go test ./...` there.
 */
import type { PinnedGate } from '../protocol/pinned-settings.ts';

type GateKind = {
  /** Names that mean this kind, in small letters with blanks between the words. */
  readonly words: readonly string[];
  /** What runs if the project has no such gate: gates of another kind, or all of them. */
  readonly instead?: string;
};

const KINDS: Readonly<Record<string, GateKind>> = {
  test: { words: ['test', 'tests', 'unit', 'unittest', 'unittests'] },
  unit: { words: ['unit', 'unittest', 'unittests'], instead: 'test' },
  integration: { words: ['integration', 'e2e', 'test integration'], instead: 'test' },
  lint: { words: ['lint', 'linter', 'eslint', 'ruff', 'clippy', 'oxlint'] },
  type_check: { words: ['typecheck', 'type check', 'types', 'tsc', 'mypy', 'pyright'] },
  docs: { words: ['docs', 'doc', 'documentation'] },
  build: { words: ['build'] },
  ci: { words: ['ci'], instead: 'all' },
};

export const GATE_KINDS = Object.keys(KINDS);

export type FoundGates = {
  readonly gates: readonly PinnedGate[];
  /** Which gates run in place of those that the project does not have. */
  readonly instead?: string;
};

/** No gates: the project has none of this kind. Undefined: the name is neither a gate nor a kind. */
export function resolveGates(wanted: string, gates: readonly PinnedGate[]): FoundGates | undefined {
  const named = gates.filter(({ name }) => name === wanted);
  const kind = Object.hasOwn(KINDS, wanted) ? KINDS[wanted] : undefined;
  if (kind === undefined) return named.length === 0 ? undefined : { gates: named };
  const found = gates.filter((gate) => gate.name === wanted || isOfKind(gate, wanted));
  if (found.length > 0 || kind.instead === undefined) return { gates: found };
  const others =
    kind.instead === 'all' ? gates : gates.filter((gate) => isOfKind(gate, kind.instead ?? ''));
  return others.length === 0
    ? { gates: [] }
    : { gates: others, instead: others.map(({ name }) => name).join(', ') };
}

function isOfKind({ name }: PinnedGate, wanted: string): boolean {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim();
  const words = KINDS[wanted]?.words ?? [];
  const matches = (list: readonly string[]): boolean =>
    list.some((word) => plain === word || plain.startsWith(`${word} `));
  // `test integration` is an integration gate, although it begins like a test gate.
  if (wanted !== 'integration' && matches(KINDS['integration']?.words ?? [])) return false;
  return matches(words);
}
