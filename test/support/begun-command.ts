/** The command that the engine records for a move, so that no harness has its own idea of the stored form. */
import assert from 'node:assert/strict';
import type { RunId } from '../../src/base/ids.ts';
import type { Json } from '../../src/base/json.ts';
import { beginFacts } from '../../src/engine/embedded/begin-facts.ts';
import { EMPTY_LEDGER } from '../../src/engine/ledger.ts';
import type { Move } from '../../src/engine/program.ts';

export function begunCommand(move: Extract<Move, { kind: 'perform' | 'wait' | 'ask' | 'run' }>): {
  readonly command: string;
  readonly input: Record<string, Json>;
} {
  const [begun] = beginFacts('0123456789' as RunId, move, EMPTY_LEDGER);
  assert.ok(begun?.type === 'command.begun');
  const { command, input } = begun.payload;
  return { command, input: input as Record<string, unknown> as Record<string, Json> };
}
