import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOrphan, processScopedName } from './process-scoped-name.ts';

const name = processScopedName('thing-', 'x');
const cases: [why: string, name: string, orphan: boolean][] = [
  ['our own', name, false],
  ['of an earlier process with our pid', name.replace(/-\d+-x$/, '-1-x'), true],
  ['of a process that is gone', 'thing-999999999-5-x', true],
  ['another kind', 'other-999999999-5-x', false],
  ['without a maker', 'thing-x', false],
];
for (const [why, given, orphan] of cases) {
  test(`a name that is ${why} is ${orphan ? 'an orphan' : 'left alone'}`, () => {
    assert.equal(isOrphan(given, 'thing-'), orphan);
  });
}
