import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ToolError } from '../protocol/turn.ts';
import { isWaiting } from './waiting.ts';

const PENDING = 'Migrations are pending. To resolve this, run bin/rails db:migrate';
const IN_VAIN = 'Timed out waiting 5000ms for expect(locator).toBeVisible()';

describe('a call only waits', () => {
  const cases: [why: string, command: string, output: string, is: boolean, error?: ToolError][] = [
    ['if it sleeps', 'sleep 30 && cat status', 'x', true],
    ['if it loops until something happens', 'until curl -s localhost; do :; done', '', true],
    ['if it follows a run', 'gh run watch 12', '', true],
    ['if its output says so', 'gh run view 12', 'status: in_progress', true],
    ['if one of several parts is pending', 'gh pr checks', 'lint  pass\ntest  pending', true],
    ['if a stack is being made', 'aws x describe-stacks', '"CREATE_IN_PROGRESS"', true],
    ['if a part of the work is done', 'cat progress.txt', 'Epoch 3/10', true],
    ['if a share of the work is done', './deploy', 'uploading: 40%', true],
    ['if a service says that it is not ready', 'curl localhost', '{"ready":false}', true],
    ['if it asks for a status, whatever that is', './job-status 7', 'phase two', true],
    ['if it lists processes', 'squeue -j 7', '7 main train R 0:12', true],
    ['if it looks at the end of a log', 'tail -1 build.log', 'cc file.c', true],
    [
      'if a check fails because it is too early',
      './check 7',
      'Job 7 is still running',
      true,
      'execution',
    ],
    ['if a database does not answer yet', 'pg_isready', 'no response', true, 'execution'],
    ['if a server wants it later', 'npm ci', 'error 429 Too Many Requests', true, 'execution'],
    [
      'if a gateway has no server yet',
      'curl -f x',
      'The URL returned error: 502',
      true,
      'execution',
    ],
    ['if nothing answers the question yet', 'curl :80/health', 'refused', true, 'network'],
    ['if a port is closed', 'nc -z localhost 80', '', true, 'execution'],
    ['if many parts are asked for', 'kubectl get pods', 'web 0/1 Init '.repeat(60), true],
    ['if a field says so', 'curl x', '{\n  "state": "running",\n  "id": 7\n}', true],
    ['if it lists processes by name', 'ps aux | grep make', 'make all', true],
    ['if it sleeps and finds nothing', 'sleep 9; ls out', 'out: No such file', true, 'not-found'],
    ['if it sleeps and hears nothing', 'sleep 9; curl -sf :80', '', true, 'execution'],
    ['if another process has the lock', 'apt install x', 'Could not get lock', true, 'execution'],
    ['if a machine is not up', 'ssh root@vm true', 'timed out', true, 'timeout'],
    ['if it asks for a code', 'curl -w "%{http_code}" x', '000', true, 'execution'],
    ['not if it sleeps before a build that fails', 'sleep 9; make', 'no rule', false, 'execution'],
    ['not if a rebase is in progress', 'git rebase', 'in progress', false, 'execution'],
    ['not if a lock file is old', 'npm ci', 'it is not up to date', false, 'execution'],
    ['not if it was not possible', 'npm publish', 'could not complete it', false, 'execution'],
    ['not if watching is off', 'ng test --watch=false', 'no config', false, 'execution'],
    ['not if a message says so', 'git commit -m "Do wait for it"', 'x', false],
    ['not if the job has ended', 'gh run view 7', 'completed success', false],
    ['not if an option is called until', './look --until 10', 'nothing', false],
    ['not if nothing answers what is no question', 'curl -f x/users', 'refused', false, 'network'],
    ['not if a long text only mentions it', 'cat notes', `pending ${'x'.repeat(600)}`, false],
    ['not if it works', 'npm test', '2 failing', false],
    ['not if it runs tests', 'cargo test', 'running 2 tests\ntest result: ok. 2 passed', false],
    ['not if it asks for the state of the work', 'git status', 'nothing to commit', false],
    ['not if a file is called sleep', 'cat src/sleep.ts', 'x', false],
    ['not if a file is called status', 'cat src/status.ts', 'x', false],
    ['not if all parts are done', 'cat progress.txt', 'Epoch 10/10', false],
    ['if a service says so to make', 'make db-ready', 'not ready', true, 'execution'],
    ['if a job of such a name says so', './job test', 'still running', true, 'execution'],
    ['if a script of such a name says so', 'node check.mjs', 'still running', true, 'execution'],
    [
      'if it tests, and another has the lock',
      'cargo test',
      'waiting for file lock',
      true,
      'execution',
    ],
    ['if a test succeeds that something is pending', 'npm test', '1 pending', true],
    ['not if its tests can not begin', 'bundle exec rspec', PENDING, false, 'execution'],
    ['not if it pauses before such tests', 'sleep 9; bin/rails test', PENDING, false, 'execution'],
    ['not if a test has waited in vain', 'npx playwright test', IN_VAIN, false, 'timeout'],
    ['not if a build has no settings', 'make', 'config not ready', false, 'execution'],
    ['not if a check has none', 'npm run check:all', 'config not ready', false, 'execution'],
    ['not if it names a date', 'date', '11/18/2026', false],
    ['not if it failed on the way', 'make', 'compiling a.c', false, 'execution'],
    ['not if it ends with an error', 'make', 'compiling a.c\nerror: no b', false],
  ];
  for (const [why, subject, output, is, error = null] of cases)
    test(why, () => assert.equal(isWaiting({ tool: 'Bash', subject, output, error }), is));

  const tools: [why: string, tool: string, is: boolean, isTyped?: true][] = [
    ['if its tool reads a command in the background', 'BashOutput', true],
    ['if its tool reads a terminal', 'get_terminal_output', true],
    ['if its tool asks for the state of a command', 'command_status', true],
    ['if its tool could type and types nothing', 'write_stdin', true],
    ['not if its tool types into a program', 'write_stdin', false, true],
    ['not if its name only contains such a word', 'pollution_report', false],
  ];
  for (const [why, tool, is, isTyped = false] of tools)
    test(why, () => {
      const call = { tool, subject: undefined, output: 'main.c', error: null, isTyped };
      assert.equal(isWaiting(call), is);
    });

  test('not if there is no such job', () => {
    const call = { tool: 'BashOutput', subject: undefined, output: 'No shell found' };
    assert.equal(isWaiting({ ...call, error: 'not-found' }), false);
  });
});
