/**
 * What every journal guarantees after a loss of power. It is why the simulated world can trust the
 * journal in memory.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import { seededRandom } from '../../base/random.ts';
import { runStream } from '../../protocol/streams.ts';
import type { Journal } from '../../store/journal.ts';
import { begun, ended, noted, submitted } from './journal-events.ts';

export type PoweredJournal = {
  readonly journal: Journal;
  /**
   * The power fails before `write` is acknowledged. Resolves with the facts that the next owner
   * finds.
   */
  failsDuring(write: () => Promise<unknown>, random: Random): Promise<Journal>;
  dispose(): Promise<void>;
};

const CUTS = 40;
const ALL = { after: 0, limit: 1000 };
const [RUN, OTHER] = [runStream('a000000000'), runStream('b000000000')];

export function powerCutConformance(name: string, make: () => Promise<PoweredJournal>): void {
  describe(`${name}: a loss of power`, () => {
    test('leaves every acknowledged fact, and of a commit all or nothing', async () => {
      const found = new Set<number>();
      for (let seed = 1; seed <= CUTS; seed += 1) {
        const under = await make();
        const { journal } = under;
        const saved = [
          ...(await journal.append(RUN, 0, [submitted(), begun('one')], at(1))),
          ...(await journal.append(OTHER, 0, [submitted()], at(2))),
        ];
        // Requested in one turn of the event loop, so they are one commit.
        const write = (): Promise<unknown> =>
          Promise.all([
            journal.append(RUN, 2, [noted('one', 'told'), ended('one')], at(3)),
            journal.append(OTHER, 1, [begun('two')], at(3)),
          ]);
        const next = await under.failsDuring(write, seededRandom(seed));
        const facts = await next.readAll(ALL);
        assert.deepEqual(facts.slice(0, saved.length), saved);
        found.add(facts.length - saved.length);
        const seq = await next.lastSeq(OTHER);
        const [continues] = await next.append(OTHER, seq, [begun('three')], at(4));
        assert.deepEqual([continues?.id, continues?.seq], [facts.length + 1, seq + 1]);
        assert.equal((await next.run('b000000000'))?.seq, seq + 1);
        await next.close();
        await under.dispose();
      }
      assert.deepEqual(
        [...found].toSorted((a, b) => a - b),
        [0, 3],
      );
    });
  });
}
