import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failed, settingsFor } from '../../../test/support/drive-attempts.ts';
import type { Availability } from '../../protocol/commands.ts';
import type { AttemptsState } from '../attempts-state.ts';
import { startState } from '../attempts-state.ts';
import { findCooldown } from './find-cooldown.ts';
import { toPastAttempt } from '../past-attempt.ts';

const ENDED_AT = 1_000_000;
const COOLDOWN_MS = 60_000;
const nothingCools: Availability = { at: '', cooling: [], uses: {}, lastFirst: null };

function limited(isCooldownStored: boolean | null, ignoreCooldown = false): AttemptsState {
  const settings = settingsFor(['a'], { cooldownMs: COOLDOWN_MS }, { ignoreCooldown });
  const attempt = { number: 1, agent: 'a', identity: 'a', resumed: false, resumePrompt: null };
  const record = { ...attempt, session: null, content: null, files: null, names: [] };
  const past = toPastAttempt(record, failed('rate_limited'), ENDED_AT);
  const submission = { program: 'attempts', task: 'do it', project: '/p', settings } as const;
  return { ...startState(submission), past: [{ ...past, isCooldownStored }] };
}

describe('a limit that this run has reached', () => {
  const cases: [why: string, state: AttemptsState, cools: boolean][] = [
    ['counts before it is stored', limited(null), true],
    ['counts if it could not be stored', limited(false), true],
    ['no longer counts if a user has cleared it in the store', limited(true), false],
    ['counts for a run that ignores the store', limited(true, true), true],
  ];
  for (const [why, state, cools] of cases)
    test(why, () => {
      const entry = { id: 'a', identity: 'a' };
      const found = findCooldown(state, entry, nothingCools, ENDED_AT + 1);
      assert.equal(found?.until, cools ? ENDED_AT + COOLDOWN_MS : undefined);
    });

  test('no longer counts when it is over', () => {
    const entry = { id: 'a', identity: 'a' };
    const over = ENDED_AT + COOLDOWN_MS;
    assert.equal(findCooldown(limited(false), entry, nothingCools, over), undefined);
  });
});
