/** A journal with changed bytes: what the user sees, and what still works. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { CliHarness } from './cli-process-harness.ts';

const RUN = ['run', '--agent', 'scripted'];

test(
  'R12: a flipped bit in a fact harms only its run, and status and doctor name the run',
  { timeout: 300_000 },
  async () => {
    await using desk = await CliHarness.set();
    for (const task of ['the first task', 'the spoilt task', 'the last task'])
      assert.equal((await desk.say([...RUN, task])).code, 0);
    const before = (await desk.json(['status', '--all'])) as { id: string; task: string }[];
    const spoilt = before.find(({ task }) => task === 'the spoilt task')?.id ?? '';
    await desk.say(['owner', 'stop']);
    const bytes = readFileSync(desk.home.journal);
    const place = bytes.indexOf('"program":"attempts","task":"the spoilt task"');
    assert.ok(place > 0);
    bytes[place] = (bytes[place] ?? 0) ^ 1;
    writeFileSync(desk.home.journal, bytes);

    const listed = await desk.say(['status', '--all', '--json']);
    const tasks = (JSON.parse(listed.stdout) as { task: string }[]).map(({ task }) => task);
    assert.deepEqual([listed.code, tasks], [0, ['the last task', 'the first task']]);
    const named = `Fact 1 of run ${spoilt} in ${desk.home.journal} is damaged: its checksum differs. Supervisor can't show or continue this run.\n`;
    assert.equal(listed.stderr, named);
    const asked = await desk.say(['why', spoilt]);
    assert.equal(asked.code, 1);
    assert.match(asked.stderr, /^error: Fact 1 of run .* is damaged/);
    assert.doesNotMatch(asked.stderr, /bug/);
    assert.equal((await desk.say([...RUN, 'one more'])).code, 0);
    const { stdout } = await desk.say(['doctor', '--json']);
    const { findings } = JSON.parse(stdout) as { findings: { id: string; note: string }[] };
    assert.equal(
      findings.find(({ id }) => id === 'journal')?.note,
      `damaged: run ${spoilt}, fact 1 is damaged; other runs are not affected`,
    );
  },
);

test(
  'R12: a file with 2,000 other bytes in the middle is refused by its path, and left as it is',
  { timeout: 300_000 },
  async () => {
    await using desk = await CliHarness.set();
    assert.equal((await desk.say([...RUN, 'a task'])).code, 0);
    await desk.say(['owner', 'stop']);
    const bytes = readFileSync(desk.home.journal);
    for (let index = 0; index < 2000; index += 1)
      bytes[4096 * 2 - 1000 + index] = (index * 7919 + 13) % 251;
    writeFileSync(desk.home.journal, bytes);
    const { code, stderr } = await desk.say([...RUN, 'another']);
    assert.equal(code, 1);
    const [said = '', hint = ''] = stderr.split('\n');
    assert.ok(said.startsWith(`error: ${desk.home.journal} cannot be used as a journal: `), said);
    assert.match(hint, /^Restore a copy of it, .* supervisor doctor$/);
    assert.deepEqual(readFileSync(desk.home.journal), bytes);
    const doctor = await desk.say(['doctor', '--json']);
    assert.equal(doctor.code, 1);
    const { verdict } = JSON.parse(doctor.stdout) as { verdict: { blockers: string[] } };
    assert.deepEqual(verdict.blockers, ['journal']);
  },
);
