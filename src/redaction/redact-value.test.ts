import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redactValue } from './redact-value.ts';
import { Redactor } from './redactor.ts';

test('every text in a value loses its secrets, and the rest stays as it is', async () => {
  const value = {
    kind: 'failed',
    message: 'the key tell-nobody is wrong',
    evidence: [{ line: Buffer.from('tell-nobody').toString('hex'), rule: null, at: 7 }],
    isFinal: true,
  };
  assert.deepEqual(await redactValue(new Redactor(['tell-nobody']), value), {
    kind: 'failed',
    message: 'the key [redacted] is wrong',
    evidence: [{ line: '[redacted]', rule: null, at: 7 }],
    isFinal: true,
  });
});
