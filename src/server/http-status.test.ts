import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RefusalCode } from '../base/errors.ts';
import { httpStatus } from './http-status.ts';

test('every refusal has the status that its kind suggests', () => {
  const codes: Readonly<Record<RefusalCode, number>> = {
    'agent.unknown': 400,
    'config.invalid': 400,
    'config.unreadable': 400,
    'request.invalid': 400,
    'usage.invalid': 400,
    'run.not-found': 404,
    'owner.already-running': 409,
    'owner.version-differs': 409,
    'run.already-ended': 409,
    'run.not-ended': 409,
    'store.conflict': 409,
    'owner.closing': 503,
    'owner.unreachable': 503,
    'store.closed': 503,
    'store.damaged': 503,
    'store.newer-schema': 503,
    'store.unreadable': 503,
    'store.full': 507,
  };
  const all = Object.keys(codes) as RefusalCode[];
  assert.deepEqual(Object.fromEntries(all.map((code) => [code, httpStatus(code)])), codes);
});
