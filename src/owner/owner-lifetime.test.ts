import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defaultSettings } from '../settings/settings.ts';
import { ManualClock, settle } from '../testing/fakes/manual-clock.ts';
import { OwnerLifetime } from './owner-lifetime.ts';

const endless = {
  ended: new Promise<never>(() => undefined),
  stop: async () => ({ unstopped: [] }),
};

function startLifetime(idleExitMs: () => Promise<number>) {
  const clock = new ManualClock();
  const lifetime = new OwnerLifetime({
    clock,
    log: () => undefined,
    isBusy: () => false,
    lostHome: () => undefined,
    idleExitMs,
    throwIfUnclosed: () => undefined,
  });
  lifetime.begin(endless);
  return { clock, lifetime };
}

describe('an owner without work', () => {
  test('closes after the time of its settings', async () => {
    const { clock, lifetime } = startLifetime(async () => 50);
    await settle();
    await clock.advance(50);
    assert.equal(await lifetime.done, 'idle');
    await lifetime.close('idle');
  });

  test('closes after the default time if a file of settings is wrong', async () => {
    const { clock, lifetime } = startLifetime(() => Promise.reject(new Error('an unknown key')));
    await settle();
    await clock.advance(defaultSettings.owner.idleExitMs);
    assert.equal(await lifetime.done, 'idle');
    await lifetime.close('idle');
  });
});
