import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal } from '../../base/errors.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import type { CliContext } from '../cli-context.ts';
import { watchText } from './watch-text.ts';

const GONE = new Refusal({ code: 'owner.unreachable', message: 'No owner answers.' });
const HOME = '\u001B[H\u001B[J';

/** Plays looks at a list, one a second. A look is a text, or the refusal of a call. */
async function play(
  looks: readonly (string | Refusal)[],
  rejoins: readonly (boolean | Refusal)[],
  isTty: boolean,
  height?: number,
): Promise<{ out: string[]; err: string[]; refused: unknown }> {
  const clock = new ManualClock();
  const [out, err, rest, answers]: [
    string[],
    string[],
    (string | Refusal)[],
    (boolean | Refusal)[],
  ] = [[], [], [...looks], [...rejoins]];
  let leave = (): void => {};
  const context = {
    clock,
    env: {},
    terminal: { isTty, width: 80, colour: false, ...(height === undefined ? {} : { height }) },
    out: (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
    onKey: () => () => {},
    onReaderGone: () => () => {},
    onInterrupt: (listener: () => void) => {
      leave = listener;
      return () => {};
    },
  } as unknown as CliContext;
  const next = async <Value>(from: (Value | Refusal)[]): Promise<Value> => {
    const one = from.shift() ?? assert.fail('nothing more is planned');
    if (one instanceof Refusal) throw one;
    return one;
  };
  let refused: unknown;
  const watching = watchText(context, () => next(rest), {
    json: false,
    rejoin: () => next(answers),
  }).catch((error: unknown) => (refused = error));
  for (let left = looks.length; left > 1; left -= 1) await clock.advance(1000);
  leave();
  await watching;
  return { out, err, refused };
}

describe('a list that is watched', () => {
  test('stays on the screen when the owner dies, says so below it, and continues', async () => {
    assert.deepEqual(await play(['one\n', GONE, 'two\n'], [true], true), {
      out: [
        '\u001B[?1049h',
        `${HOME}one\n`,
        `${HOME}one\nConnection to the owner lost, reconnecting …\n`,
        `${HOME}two\n`,
        '\u001B[?1049l',
      ],
      err: [],
      refused: undefined,
    });
  });

  test('that is longer than the screen keeps its head, and says how much is missing', async () => {
    const long = `${Array.from({ length: 9 }, (_, place) => `line ${place + 1}`).join('\n')}\n`;
    const { out } = await play([long, GONE, 'short\n'], [true], true, 5);
    assert.deepEqual(out.slice(1, -1), [
      `${HOME}line 1\nline 2\nline 3\n… 6 more lines do not fit on this screen\n`,
      `${HOME}line 1\nline 2\n… 7 more lines do not fit on this screen\nConnection to the owner lost, reconnecting …\n`,
      `${HOME}short\n`,
    ]);
  });

  test('says once in a log that the owner is gone, however long that lasts', async () => {
    assert.deepEqual(await play(['one\n', GONE, GONE, 'one\n', 'two\n'], [GONE, true], false), {
      out: ['one\n', 'two\n'],
      err: ['Connection to the owner lost, reconnecting …\n'],
      refused: undefined,
    });
  });

  test('waits without end for the next owner after one was stopped', async () => {
    const stopped = Array.from({ length: 20 }, () => false);
    const looks = ['one\n', ...stopped.map(() => GONE), 'two\n'];
    assert.deepEqual(await play(looks, stopped, false), {
      out: ['one\n', 'two\n'],
      err: [
        'Connection to the owner lost, reconnecting …\n',
        'The owner was stopped. Waiting for the next one; start it with: supervisor up --detach\n',
      ],
      refused: undefined,
    });
  });

  test('ends with the refusal of an owner that can not be started', async () => {
    const broken = new Refusal({ code: 'owner.unreachable', message: 'It could not be started.' });
    const looks = ['one\n', ...Array.from({ length: 5 }, () => GONE)];
    const { refused } = await play(looks, [broken, broken, broken, broken, broken], false);
    assert.equal(refused, broken);
    const full = new Refusal({ code: 'store.full', message: 'The disk is full.' });
    assert.equal((await play(['one\n', GONE], [full], false)).refused, full);
  });

  test('ends with a refusal that is no loss of the owner', async () => {
    const wrong = new Refusal({ code: 'run.not-found', message: 'There is no such run.' });
    assert.equal((await play(['one\n', wrong], [], false)).refused, wrong);
  });

  for (const [how, way] of [
    ['q', 'onKey'],
    ['Ctrl-C', 'onInterrupt'],
    ['an output without a reader', 'onReaderGone'],
  ] as const)
    test(`ends on ${how}, and listens to no key afterwards`, async () => {
      const clock = new ManualClock();
      let [leave, listening] = [(): void => {}, 0];
      const listen =
        (name: string) =>
        (...given: readonly unknown[]) => {
          listening += 1;
          if (name === way) leave = given.at(-1) as () => void;
          if (name === 'onKey') assert.equal(given[0], 'q');
          return () => void (listening -= 1);
        };
      const printed: string[] = [];
      const context = {
        clock,
        env: {},
        terminal: { isTty: false, width: 80, colour: false },
        out: (text: string) => void printed.push(text),
        onKey: listen('onKey'),
        onInterrupt: listen('onInterrupt'),
        onReaderGone: listen('onReaderGone'),
      } as unknown as CliContext;
      let count = 0;
      const watching = watchText(context, async () => `shown ${(count += 1)}\n`, {
        json: false,
      });
      await clock.advance(1000);
      leave();
      await watching;
      assert.deepEqual([printed, listening], [['shown 1\n', 'shown 2\n'], 0]);
    });
});
