/** Makes the first workspace of a run and says nothing. Usage: makes-workspace.ts PROJECT HOME TAG */
import assert from 'node:assert/strict';
import { parseRunId } from '../../../src/base/ids.ts';
import { systemClock } from '../../../src/host/system-clock.ts';
import { which } from '../../../src/host/which.ts';
import { makeWorkspace } from '../../../src/workspace/make.ts';

const [path = '', home = '', tag = ''] = process.argv.slice(2);
const run = parseRunId('0123456789') ?? assert.fail();
const git = which('git', process.env) ?? assert.fail('git is missing');
await makeWorkspace(
  { path, home, run, attempt: 1 },
  { git, clock: systemClock, tag, userHome: '/nonexistent' },
);
