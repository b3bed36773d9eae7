/** The gates of a run: those of its settings, then those of its request, each after those that it depends on. All are pinned. */
import { Refusal } from '../../base/errors.ts';
import { joiningWord, shellWord, shellWords } from '../../base/shell-words.ts';
import { plainLine } from '../../base/typography.ts';
import { oneLine, truncate } from '../../base/text.ts';
import type { RunRequest } from '../../protocol/api.ts';
import { orderGates } from '../../settings/gate-order.ts';
import type { Settings } from '../../settings/settings.ts';

type Gate = Settings['gates'][number];

/** The timeout of a gate that is given as a line. It equals the default of configured gates. */
const TIMEOUT_MS = 600_000;
const NAME_CHARS_MAX = 64;

/** Each line is split into words as in a shell. Nothing is expanded. */
export function runGates(
  { gates }: Pick<Settings, 'gates'>,
  { gates: lines = [], includeTests = false, acceptUnprotected = false }: GateOptions = {},
): readonly Gate[] {
  const all = [...gates, ...lines.map(parseGate)];
  return orderGates(all).map((gate) => ({
    ...gate,
    ...(includeTests ? { testsMayChange: true } : {}),
    ...(acceptUnprotected ? { acceptsUnprotected: true } : {}),
  }));
}

/** Better now than after an agent was paid: without a gate that counts, the run could only end unverified. */
export function requireProvingGate(
  gates: readonly Pick<Gate, 'warns'>[],
  { requireGate = false }: Pick<RunRequest, 'requireGate'>,
): void {
  if (!requireGate || gates.some(({ warns }) => warns !== true)) return;
  const found = gates.length === 0 ? 'This run has no gate' : 'The gates of this run only warn';
  throw new Refusal({
    code: 'gate.missing',
    message: `${found}, so nothing could verify its work. --apply and --require-gate need that.`,
    hint: 'Add a gate, such as --gate "npm test", or find those of the project with: supervisor init. Or leave out the option.',
  });
}

type GateOptions = Pick<RunRequest, 'gates' | 'includeTests' | 'acceptUnprotected'>;

function parseGate(line: string): Gate {
  const plain = plainLine(line);
  if (plain !== undefined)
    throw new Refusal({
      code: 'usage.invalid',
      message: `The gate ${JSON.stringify(line)} has typographic quotes or dashes, which no program understands.`,
      hint: `Write it with plain ones: --gate ${shellWord(plain)}`,
    });
  const command = shellWords(line) ?? [];
  if (command.length === 0)
    throw new Refusal({
      code: 'usage.invalid',
      message: `The gate ${JSON.stringify(line)} is not a command: it is empty, or a quote is not closed.`,
      hint: `Write it as in a shell, for example: --gate "npm test" or --gate "sh -c 'make lint && npm test'"`,
    });
  const joining = joiningWord(command);
  if (joining !== undefined)
    throw new Refusal({
      code: 'usage.invalid',
      message: `The gate ${JSON.stringify(line)} contains ${joining}, which only a shell understands. A gate runs without a shell, so a part of it would never run.`,
      hint: `Start a shell yourself: --gate ${shellWord(`sh -c ${shellWord(line)}`)}`,
    });
  return {
    name: truncate(oneLine(line), NAME_CHARS_MAX),
    command,
    timeoutMs: TIMEOUT_MS,
  };
}
