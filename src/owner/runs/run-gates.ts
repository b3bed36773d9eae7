/** The gates of one run: those of its settings, then those of its request. Both are pinned with it. */
import { Refusal } from '../../base/errors.ts';
import { shellWords } from '../../base/shell-words.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type { Settings } from '../../settings/settings.ts';

type Gate = Settings['gates'][number];

/** For a gate that is only a line: as long as one that is written down without a time. */
const TIMEOUT_MS = 600_000;
const NAME_CHARS_MAX = 64;

/** Each line is split as a shell would, and nothing else of a shell is done to it. */
export function runGates(
  { gates }: Pick<Settings, 'gates'>,
  { gates: lines = [], includeTests = false, acceptUnprotected = false }: GateWishes = {},
): readonly Gate[] {
  return [...gates, ...lines.map(gateOf)].map((gate) => ({
    ...gate,
    ...(includeTests ? { testsMayChange: true } : {}),
    ...(acceptUnprotected ? { acceptsUnprotected: true } : {}),
  }));
}

type GateWishes = Pick<RunRequest, 'gates' | 'includeTests' | 'acceptUnprotected'>;

function gateOf(line: string): Gate {
  const command = shellWords(line) ?? [];
  if (command.length === 0)
    throw new Refusal({
      code: 'usage.invalid',
      message: `The gate ${JSON.stringify(line)} is no command: it is empty, or a quote is not closed.`,
      hint: `Write it as in a shell, such as: --gate "npm test" or --gate "sh -c 'make lint && npm test'"`,
    });
  const name = line.trim().replaceAll(/\s+/g, ' ');
  return {
    name: name.length <= NAME_CHARS_MAX ? name : `${name.slice(0, NAME_CHARS_MAX - 1)}…`,
    command,
    timeoutMs: TIMEOUT_MS,
  };
}
