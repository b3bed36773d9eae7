import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AGENT_CLI_FACTS } from '../../src/doctor/supported-clis.ts';
import packages from '../real/package.json' with { type: 'json' };

test('the version that doctor calls tested is the one that test/real runs', () => {
  const tested = Object.fromEntries(AGENT_CLI_FACTS.map(({ npm, tried }) => [npm, tried]));
  assert.deepEqual(tested, packages.dependencies);
});
