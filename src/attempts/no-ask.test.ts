/** A run that may not ask a person ends where it would ask. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AttemptsHarness } from '../../test/support/attempts-harness.ts';
import { done, failed, settingsFor } from '../../test/support/drive-attempts.ts';
import { drivenTable } from '../../test/support/driven-table.ts';
import { settle } from '../testing/fakes/manual-clock.ts';

const settings = settingsFor(['a', 'b'], { ask: false });
const keyless = { kind: 'failed', reason: 'keys_missing', message: 'keys_missing' } as const;
const ENDS = 'The run ends here, because it may not ask (--no-ask)';

drivenTable('a run that may not ask', [
  [
    'ends when its budget is spent, and no other agent spends more',
    { settings, attempts: [failed('budget')] },
    ['a', `blocked: budget. ${ENDS}`],
  ],
  [
    'ends at an unknown price, without the choices of a question',
    { settings, attempts: [failed('price_unknown')] },
    ['a', `blocked: price_unknown. ${ENDS}`],
  ],
  [
    'tries every agent before it ends for lack of a key',
    { settings, attempts: [keyless, keyless] },
    ['a', 'b at 1 s', `blocked: keys_missing. ${ENDS}`],
  ],
  [
    'ends when a login expires',
    { settings, attempts: [failed('keys_missing', { session: 's' })] },
    ['a', `blocked: keys_missing. ${ENDS}`],
  ],
  [
    'lets an agent that asks continue by itself once, and then ends',
    { settings, attempts: [failed('needs_input'), failed('needs_input')] },
    ['a', 'a at 1 s', `blocked: a asks: needs_input. ${ENDS}`],
  ],
  ['ends well without a question', { settings, attempts: [done] }, ['a', 'unverified: done']],
]);

test('a person who resumes such a run is asked', async () => {
  await using stage = await new AttemptsHarness().open(failed('budget'));
  const run = await stage.start(settings);
  assert.equal((await stage.engine.get(run))?.outcome?.kind, 'blocked');
  const fork = await stage.engine.fork(run, 1);
  await settle();
  const open = (await stage.engine.get(fork))?.open.map(({ command }) => command);
  assert.deepEqual(open, ['ask']);
});
