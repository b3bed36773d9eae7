import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startsJob } from './background-job.ts';

describe('a call leaves a job running', () => {
  const cases: [why: string, args: object, output: string, is: boolean][] = [
    ['if its line ends so', { command: 'make all > build.log 2>&1 &' }, '', true],
    ['if a field says so', { command: 'cargo build', run_in_background: true }, '', true],
    [
      'if its output says so',
      { command: 'make' },
      'Command running in background with ID b1',
      true,
    ],
    ['if a queue takes it', { command: 'sbatch train.sh' }, 'Submitted batch job 7', true],
    ['not if one command follows another', { command: 'make && ls 2>&1' }, '', false],
    ['not if the sign is in quotes', { command: 'grep "a & b" x' }, '', false],
    ['not if it is a server, which never ends', { command: 'npm run dev &' }, '', false],
    ['not without a command', { background: true }, '', false],
  ];
  for (const [why, args, output, is] of cases)
    test(why, () => {
      const { command } = args as { readonly command?: string };
      assert.equal(startsJob(args, command, output), is);
    });
});
