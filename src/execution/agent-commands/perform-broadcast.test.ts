import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RefusalCode } from '../../base/errors.ts';
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { commandKey } from '../../base/ids.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { broadcastPerformer } from './perform-broadcast.ts';
import type { Broadcast } from '../../protocol/commands.ts';

const never = new AbortController().signal;

async function spread(
  answer: Broadcast['answer'],
  refuses: readonly RefusalCode[] = [],
): Promise<readonly [result: unknown, heard: readonly string[]]> {
  const received: string[] = [];
  const left = [...refuses];
  const clock = new ManualClock();
  const performer = broadcastPerformer({
    clock,
    siblingsOf: (run) => (run === 'asker' ? ['b' as RunId, 'c' as RunId] : []),
    signal: async (run, signal) => {
      const code = left.shift();
      if (code !== undefined) throw new Refusal({ code, message: code });
      const of =
        signal.kind === 'trigger' && signal.trigger.kind === 'gang' ? signal.trigger.of : '';
      received.push(`${run} ${signal.kind} ${of}`.trim());
    },
  });
  const order = { run: 'asker' as RunId, key: commandKey('broadcast-1') };
  const context = { cancelSignal: never, killSignal: never, note: () => Promise.resolve() };
  const result = performer.perform({ ...order, input: { answer, of: 'ask-1' } }, context);
  await clock.advance(60_000);
  return [await result, received];
}

const cases: [why: string, Parameters<typeof spread>, sent: number, heard: string[]][] = [
  [
    'all other members restart, and know by which answer',
    ['restart-all'],
    2,
    ['b trigger asker ask-1', 'c trigger asker ask-1'],
  ],
  ['all the others are let go', ['stop-all'], 2, ['b dismiss', 'c dismiss']],
  [
    'a member that has ended does not keep the others from the decision',
    ['stop-all', ['run.already-ended']],
    1,
    ['c dismiss'],
  ],
  [
    "a signal that can't be written now is sent again",
    ['stop-all', ['owner.closing', 'store.full']],
    2,
    ['b dismiss', 'c dismiss'],
  ],
];
for (const [why, given, sent, received] of cases)
  test(why, async () => assert.deepEqual(await spread(...given), [{ sent }, received]));
