import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '../testing/fakes/manual-clock.ts';
import type { CliContext } from './cli-context.ts';
import { watchText } from './watch-text.ts';

describe('a list that is watched', () => {
  for (const [how, way] of [
    ['q', 'onKey'],
    ['Ctrl-C', 'onInterrupt'],
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
      } as unknown as CliContext;
      let count = 0;
      const watching = watchText(context, async () => `shown ${(count += 1)}\n`, false);
      await clock.advance(1000);
      leave();
      await watching;
      assert.deepEqual([printed, listening], [['shown 1\n', 'shown 2\n'], 0]);
    });
});
