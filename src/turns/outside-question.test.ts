import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { asksOutside } from './outside-question.ts';

describe('a call asks how something outside is', () => {
  const cases: [why: string, tool: string, subject: string, output: string, is: boolean][] = [
    ['over the network', 'Bash', 'curl -s https://ci.example/7', '{"id":7}', true],
    ['if it reads what a program writes', 'Bash', 'cat build.log', 'cc a.c', true],
    ['if its tool reads that', 'Read', '/tmp/tasks/b1.output', 'cc a.c', true],
    ['if it looks for a file that is to appear', 'Bash', '[ -f done ] || echo no', 'no', true],
    ['if its tool gets a job', 'mcp__ci__get_build', '', '{"id":7}', true],
    ['if it says nothing', 'browser_press_key', '', '', true],
    ['if it only says what it does now', 'Bash', './job 7', 'Syncing block 12', true],
    ['if it says so in another language', 'Bash', './job 7', 'Auftrag 7 läuft noch', true],
    ['not if that has ended', 'Bash', 'cat build.log', 'cc a.c\nBUILD SUCCESSFUL', false],
    ['not if it reads a long page', 'Bash', 'curl https://a.example', 'x'.repeat(3000), false],
    ['not if it reads a file of the work', 'Read', 'src/a.ts', '// Starting the engine', false],
    ['not if it reads the versions of packages', 'Read', 'Cargo.lock', 'serde 1.0', false],
    ['not if it reads a source about logs', 'Read', 'src/logs/a.ts', 'x', false],
    ['not if it asks for the state of the work', 'Bash', 'git status', 'clean', false],
    ['if it reads a table', 'Bash', 'psql -c "select count(*)"', '7', true],
    ['by the beginning of a command', 'Bash', `psql ${'psql '.repeat(800)} count`, '7', false],
    ['not if it only sounds so', 'Bash', './look', 'nothing', false],
  ];
  for (const [why, tool, subject, output, is] of cases)
    test(why, () => assert.equal(asksOutside({ tool, subject, output, error: null }), is));

  test('not if it has failed', () => {
    const call = { tool: 'Bash', subject: 'curl https://a.example', output: 'no' };
    assert.equal(asksOutside({ ...call, error: 'network' }), false);
  });
});
