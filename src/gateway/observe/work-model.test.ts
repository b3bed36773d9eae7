import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { WorkModel } from './work-model.ts';

const RATE = { cause: 'rate-limit' } as const;
const QUOTA = { cause: 'quota' } as const;

describe('M10: a limit concerns the identity', () => {
  const cases: [why: string, configured: string | undefined, model: string, is: boolean][] = [
    ['on the configured model', 'claude-opus-4-8', 'claude-opus-4-8', true],
    ['on a snapshot of it', 'claude-haiku-4-5', 'claude-haiku-4-5-20251001', true],
    ['on it with a provider prefix', 'openai/gpt-5.5', 'gpt-5.5', true],
    ['on it with a mark', 'claude-sonnet-4-5[1m]', 'claude-sonnet-4-5', true],
    ['by the name of its family', 'opus', 'claude-opus-4-8', true],
    ['by a name for any model', 'auto', 'first-model', true],
    ['on the first model if none is configured', undefined, 'first-model', true],
    ['but not on another model', 'claude-opus-4-8', 'claude-haiku-4-5', false],
    ['nor on a longer name', 'gpt-5', 'gpt-5-pro', false],
    ['nor on another family', 'opus', 'claude-haiku-4-5', false],
    ['nor on any but the first model if none is configured', undefined, 'other-model', false],
    ['nor on the first model if another is configured', 'gpt-5.5', 'first-model', false],
  ];
  for (const [why, configured, model, is] of cases)
    test(why, () => {
      const work = new WorkModel(configured);
      work.see({ kind: 'main', model: 'first-model' }, { offersTools: true });
      assert.equal(work.concernsIdentity({ kind: 'main', model }, RATE, {}), is);
    });

  test('not if the call is a side call, or only counts', () => {
    const work = new WorkModel('gpt-5.5');
    work.see({ kind: 'main', model: 'gpt-5.5' }, { offersTools: true });
    const kinds = ['main', 'sub', 'compaction', 'side', 'count', 'probe'] as const;
    assert.deepEqual(
      kinds.filter((kind) => work.concernsIdentity({ kind, model: 'gpt-5.5' }, QUOTA, {})),
      ['main', 'sub', 'compaction'],
    );
  });

  test('not if a tier has its own limits and balance', () => {
    const work = new WorkModel('gpt-5.5');
    const call = { kind: 'main', model: 'gpt-5.5' } as const;
    for (const body of [
      { service_tier: 'priority' },
      { service_tier: 'flex' },
      { speed: 'fast' },
    ]) {
      assert.equal(work.concernsIdentity(call, RATE, body), false);
      assert.equal(work.concernsIdentity(call, QUOTA, body), false);
      assert.equal(work.concernsIdentity(call, { cause: 'auth' }, body), true);
    }
  });
});
