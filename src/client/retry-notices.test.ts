import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AttemptOutcome } from '../protocol/contracts/attempt-contract.ts';
import { isRunEvent } from '../protocol/streams.ts';
import type { AttemptSettings } from '../protocol/pinned-settings.ts';
import { AttemptsHarness } from '../../test/support/attempts-harness.ts';
import { START_MS, failed, settingsFor } from '../../test/support/drive-attempts.ts';
import type { RetryNotice } from './retry-notices.ts';
import { NO_RETRY_NOTICES, foldRetryNotices } from './retry-notices.ts';

type Told = { readonly attempts: number; readonly notices: readonly RetryNotice[] };

/** What a program has been told so far, and how many attempts have begun by then. */
async function told(harness: AttemptsHarness): Promise<Told> {
  const notices: RetryNotice[] = [];
  let state = NO_RETRY_NOTICES;
  for (const event of await harness.facts()) {
    if (!isRunEvent(event)) continue;
    state = foldRetryNotices(state, event);
    notices.push(...state.notices);
  }
  return { attempts: harness.attempts, notices };
}

async function begin(outcome: AttemptOutcome, settings: AttemptSettings): Promise<AttemptsHarness> {
  const harness = await new AttemptsHarness().open(outcome);
  await harness.start(settings);
  return harness;
}

describe('a program is told about a retry', () => {
  test('before the delay, with the true delay, and only once', async () => {
    const settings = settingsFor(['a'], { preset: 'retry-then-fallback' });
    await using harness = await begin(failed('crashed', { exit: 1 }), settings);
    const { clock } = harness;
    const [first, ...others] = (await told(harness)).notices;
    assert.ok(first?.kind === 'retry' && others.length === 0);
    const { delayMs } = first;
    assert.deepEqual(
      [harness.attempts, first],
      [1, { kind: 'retry', count: 1, agent: 'a', delayMs, until: START_MS + delayMs }],
    );
    assert.ok(delayMs > 0);
    await clock.advance(delayMs - 1);
    assert.deepEqual(await told(harness), { attempts: 1, notices: [first] });
    await clock.advance(1);
    const second = (await told(harness)).notices[1];
    assert.ok(second?.kind === 'retry');
    assert.deepEqual([harness.attempts, second.count], [2, 2]);
    assert.equal(second.until, clock.now() + second.delayMs);
  });

  test("before the wait for a provider's limit, with the time that is left", async () => {
    const limited = failed('rate_limited', { resetMs: 90_000 });
    await using harness = await begin(limited, settingsFor(['a']));
    const notice = { kind: 'retry', count: 1, agent: 'a' };
    assert.deepEqual(await told(harness), {
      attempts: 1,
      notices: [{ ...notice, delayMs: 90_000, until: START_MS + 90_000 }],
    });
    await harness.clock.advance(89_999);
    assert.equal(harness.attempts, 1);
    await harness.clock.advance(1);
    assert.ok((await told(harness)).attempts > 1); // it fails with the same limit again and again, which is over now
  });

  test('without a delay if the next agent begins at once, after the switch', async () => {
    await using harness = await begin(failed('crashed'), settingsFor(['a', 'b']));
    assert.deepEqual(await told(harness), {
      attempts: 2,
      notices: [
        { kind: 'switch', from: 'a', to: 'b' },
        { kind: 'retry', count: 1, agent: 'b', delayMs: 0, until: START_MS },
      ],
    });
  });
});
