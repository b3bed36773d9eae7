/** A real CLI that hits its provider's limit, and another real CLI that finishes the work. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import type { StoredEvent } from '../../src/protocol/event.ts';
import { SECRET } from './sandboxed-harness.ts';
import { harnessFor, isMissing, shellThenFile } from './sandboxed-clis.ts';

const TIMEOUT_MS = 240_000;
const RETRY_AFTER_S = 3600;

function attempts(facts: readonly StoredEvent[]): readonly (readonly [string, number, number])[] {
  return facts.flatMap((fact) => {
    if (fact.type !== 'command.begun' || fact.payload.command !== 'attempt') return [];
    const { key, input } = fact.payload;
    const end = facts.find((one) => one.type === 'command.ended' && one.payload.key === key);
    return [[(input['agent'] as { id: string }).id, fact.at, end?.at ?? 0] as const];
  });
}

test(
  'claude is limited for an hour: it cools down, and codex finishes',
  { timeout: TIMEOUT_MS },
  async (t) => {
    if (isMissing(t, 'claude', 'codex')) return;
    await using limited = await ModelServer.start({
      keys: [SECRET],
      script: { steps: [{ text: 'never said' }] },
      faults: [{ fault: { kind: 'rate-limit', retryAfterS: RETRY_AFTER_S } }],
    });
    await using working = await ModelServer.start({
      keys: [SECRET],
      script: shellThenFile('codex', 'true', 'made.txt'),
    });
    await using at = await harnessFor(['claude', 'codex'], working.url, {
      env: { ANTHROPIC_BASE_URL: limited.url },
    });
    const run = await at.submit('claude');
    const facts = await at.factsOf(run);
    const [first, second] = attempts(facts);
    assert.deepEqual([first?.[0], second?.[0]], ['claude', 'codex']);
    t.diagnostic(
      `${limited.journal().length} requests of claude; codex began ${(second?.[1] ?? 0) - (first?.[2] ?? 0)} ms after its end`,
    );
    assert.deepEqual(facts.at(-1)?.payload, {
      outcome: { kind: 'unverified', reason: 'All done.' },
    });
    assert.match((await at.client.diff(run)).text, /^\+made inside$/m);
    const [rest, ...others] = await at.client.machine.cooldowns();
    assert.deepEqual([rest?.agent, others], ['claude', []]);
    const seconds = ((rest?.until ?? 0) - (first?.[2] ?? 0)) / 1000;
    assert.ok(seconds > RETRY_AFTER_S - 120 && seconds <= RETRY_AFTER_S, `rests for ${seconds} s`);

    // The next run of any project respects the cooldown.
    const later = await at.factsOf(await at.submit('claude'));
    assert.deepEqual(
      attempts(later).map(([agent]) => agent),
      ['codex'],
    );
  },
);
