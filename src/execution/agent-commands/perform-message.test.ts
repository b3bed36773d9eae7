import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../../base/errors.ts';
import type { RefusalCode } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { commandKey } from '../../base/ids.ts';
import type { Signal } from '../../protocol/signal.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { messagePerformer } from './perform-message.ts';
import type { MessageInput } from '../../protocol/commands.ts';

const never = new AbortController().signal;
const ROOT = '0000000000';
const LEAD = '1111111111';
const HAND = '2222222222';
const PARENTS: Readonly<Record<string, string | null>> = {
  [ROOT]: null,
  [LEAD]: ROOT,
  [HAND]: LEAD,
};

async function sendFrom(
  input: Pick<MessageInput, 'to' | 'parent'>,
  refuses: readonly RefusalCode[] = [],
): Promise<readonly [result: unknown, heard: readonly string[]]> {
  const received: string[] = [];
  const left = [...refuses];
  const clock = new ManualClock();
  const performer = messagePerformer({
    clock,
    parentOf: (run) => Promise.resolve(PARENTS[run]),
    signal: (run: RunId, signal: Signal) => {
      const code = left.shift();
      if (code !== undefined) return Promise.reject(new Refusal({ code, message: code }));
      received.push(`${run} ${JSON.stringify(signal)}`);
      return Promise.resolve();
    },
  });
  const order = { run: HAND as RunId, key: commandKey('send-message-1') };
  const context = { cancelSignal: never, killSignal: never, note: () => Promise.resolve() };
  const result = performer.perform(
    { ...order, input: { ...input, from: 'ada', text: 'x' } },
    context,
  );
  await clock.advance(60_000);
  return [await result, received];
}

const heardBy = (run: string): string => `${run} {"kind":"message","from":"ada","text":"x"}`;

const cases: [why: string, Parameters<typeof sendFrom>, result: unknown, heard: string[]][] = [
  [
    'a note to the parent becomes a message',
    [{ to: 'parent', parent: LEAD }],
    { kind: 'sent', run: LEAD },
    [heardBy(LEAD)],
  ],
  [
    'a note to the root goes to the top of the tree',
    [{ to: 'root', parent: LEAD }],
    { kind: 'sent', run: ROOT },
    [heardBy(ROOT)],
  ],
  [
    'a parent that is also the root gets the note once',
    [{ to: 'root', parent: ROOT }],
    { kind: 'undeliverable', why: 'its parent is the root' },
    [],
  ],
  [
    'an agent without a parent sends its note to no agent',
    [{ to: 'parent', parent: null }],
    { kind: 'undeliverable', why: 'it has no parent' },
    [],
  ],
  [
    'an ended parent gets no message, and that is not a failure',
    [{ to: 'parent', parent: LEAD }, ['run.already-ended']],
    { kind: 'undeliverable', why: 'run.already-ended' },
    [],
  ],
  [
    'an agent with unknown ancestors has no root',
    [{ to: 'root', parent: '3333333333' }],
    { kind: 'undeliverable', why: 'there is no root' },
    [],
  ],
  [
    'the delivery waits for an owner that starts',
    [{ to: 'parent', parent: LEAD }, ['owner.closing', 'store.full', 'owner.closing']],
    { kind: 'sent', run: LEAD },
    [heardBy(LEAD)],
  ],
  [
    'but not for ever',
    [{ to: 'parent', parent: LEAD }, Array.from({ length: 30 }, () => 'owner.closing' as const)],
    { kind: 'undeliverable', why: 'owner.closing' },
    [],
  ],
];
for (const [why, args, result, received] of cases)
  test(why, async () => assert.deepEqual(await sendFrom(...args), [result, received]));
