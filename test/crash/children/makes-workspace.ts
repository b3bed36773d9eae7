/**
 * Makes the first workspace of a run and prints nothing. Usage: makes-workspace.ts PROJECT HOME TAG
 */
import assert from 'node:assert/strict';
import { parseRunId } from '../../../src/base/ids.ts';
import { systemClock } from '../../../src/host/machine/system-clock.ts';
import { which } from '../../../src/host/process/which.ts';
import { createWorkspace } from '../../../src/workspace/create-workspace.ts';

const [path = '', home = '', tag = ''] = process.argv.slice(2);
const run = parseRunId('0123456789') ?? assert.fail();
const git = which('git', process.env) ?? assert.fail('git is missing');
await createWorkspace(
  { path, home, run, attempt: 1 },
  { git, clock: systemClock, tag, userHome: '/nonexistent' },
);
