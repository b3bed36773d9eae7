import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal, Refusal } from '../../base/errors.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { followOn, Reconnect, stoppedMsMax } from './reconnect.ts';

const GONE = new Refusal({ code: 'owner.closing', message: 'The owner was stopped.' });
const MINUTE = 60_000;

/** Follows the numbers 1 to 4. Each owner sends so many, and then it is gone. */
async function follow(
  owners: readonly number[],
  isRunning: () => boolean,
  seconds: number,
): Promise<{ seen: number[]; refused: unknown; told: string[] }> {
  const clock = new ManualClock();
  const [seen, told, left]: [number[], string[], number[]] = [[], [], [...owners]];
  const reconnect = new Reconnect({
    clock,
    rejoin: async () => isRunning(),
    tell: (text) => void told.push(text),
    stoppedMsMax: stoppedMsMax(false),
  });
  const open = async function* (): AsyncGenerator<number, void> {
    const last = (seen.at(-1) ?? 0) + (isRunning() ? (left.shift() ?? 0) : 0);
    for (let next = (seen.at(-1) ?? 0) + 1; next <= Math.min(last, 4); next += 1) yield next;
    if (last < 4) throw GONE;
  };
  let refused: unknown;
  const reading = (async () => {
    for await (const one of followOn({ clock }, reconnect, open, new AbortController().signal))
      seen.push(one);
  })().catch((error: unknown) => (refused = error));
  for (let second = 0; second < seconds; second += 1) await clock.advance(1000);
  await reading;
  return { seen, refused, told };
}

describe('a command that follows the owner', () => {
  test('continues with the next owner where it stopped, and says so once for each', async () => {
    assert.deepEqual(await follow([1, 2, 9], () => true, 3), {
      seen: [1, 2, 3, 4],
      refused: undefined,
      told: [
        'Connection to the owner lost, reconnecting …',
        'Connection to the owner lost, reconnecting …',
      ],
    });
  });

  test('ends with a refusal if a stopped owner has no successor in ten minutes', async () => {
    const { seen, refused } = await follow([1], () => false, (10 * MINUTE) / 1000 + 1);
    assert.deepEqual([seen, isRefusal(refused, 'owner.unreachable')], [[], true]);
    assert.match(String(refused), /no other one was started for 10m/);
  });

  test('waits without end at a terminal, where a person sees why', () => {
    assert.deepEqual([stoppedMsMax(true), stoppedMsMax(false)], [Infinity, 10 * MINUTE]);
  });
});
