/** Which trees of a long-lived agent its newest lives no longer use, according to its facts. */
import { runStream } from '../../../src/protocol/streams.ts';
import type { Fact } from './record.ts';

/** The current life and the two before it: `logs` and `why` still show those. */
const LIVES_KEPT = 3;

/** Whether the newest lives of this agent all worked in later trees. */
export function isOfEarlierLife(facts: readonly Fact[], run: string, tree: number): boolean {
  let life = 0;
  const turns: { readonly life: number; readonly tree: number }[] = [];
  for (const { stream, type, payload } of facts) {
    if (stream !== runStream(run)) continue;
    if (type === 'signal.received' && payload.signal.kind === 'start-life')
      life = Math.max(life, payload.signal.life);
    if (type === 'command.begun' && payload.command === 'attempt')
      turns.push({ life, tree: payload.input.tree ?? 1 });
  }
  const newest = turns.filter((turn) => turn.life > life - LIVES_KEPT);
  return life > LIVES_KEPT && newest.length > 0 && newest.every((turn) => turn.tree > tree);
}
