/** A journal with changed bytes: what the user sees, and what still works. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { StatusDocument } from '../../src/public-json/status-document.ts';
import { CliHarness } from './cli-process-harness.ts';

const RUN = ['run', '--agent', 'scripted'];

test(
  'R12: a flipped bit in a fact harms only its run, and status and doctor name the run',
  { timeout: 300_000 },
  async () => {
    await using harness = await CliHarness.create();
    for (const task of ['the first task', 'the spoilt task', 'the last task'])
      assert.equal((await harness.run([...RUN, task])).code, 0);
    const before = await harness.runs('--all');
    const spoilt = before.find(({ task }) => task === 'the spoilt task')?.run_id ?? '';
    await harness.run(['owner', 'stop']);
    const bytes = readFileSync(harness.home.journal);
    const place = bytes.indexOf('"program":"attempts","task":"the spoilt task"');
    assert.ok(place > 0);
    bytes[place] = (bytes[place] ?? 0) ^ 1;
    writeFileSync(harness.home.journal, bytes);

    const listed = await harness.run(['status', '--all', '--json']);
    const { runs } = StatusDocument.parse(JSON.parse(listed.stdout));
    const tasks = runs.map(({ task }) => task);
    assert.deepEqual([listed.code, tasks], [0, ['the last task', 'the first task']]);
    const named = `Fact 1 of run ${spoilt} in ${harness.home.journal} is damaged: its checksum differs. Supervisor can't show or continue this run.\n`;
    assert.equal(listed.stderr, named);
    const asked = await harness.run(['why', spoilt]);
    assert.equal(asked.code, 1);
    assert.match(asked.stderr, /^error: Fact 1 of run .* is damaged/);
    assert.doesNotMatch(asked.stderr, /bug/);
    assert.equal((await harness.run([...RUN, 'one more'])).code, 0);
    const { stdout } = await harness.run(['doctor', '--json']);
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
    await using harness = await CliHarness.create();
    assert.equal((await harness.run([...RUN, 'a task'])).code, 0);
    await harness.run(['owner', 'stop']);
    const bytes = readFileSync(harness.home.journal);
    for (let index = 0; index < 2000; index += 1)
      bytes[4096 * 2 - 1000 + index] = (index * 7919 + 13) % 251;
    writeFileSync(harness.home.journal, bytes);
    const { code, stderr } = await harness.run([...RUN, 'another']);
    assert.equal(code, 1);
    const [output = '', hint = ''] = stderr.split('\n');
    assert.ok(
      output.startsWith(`error: ${harness.home.journal} cannot be used as a journal: `),
      output,
    );
    assert.match(hint, /^Restore a copy of it, .* supervisor doctor$/);
    assert.deepEqual(readFileSync(harness.home.journal), bytes);
    const doctor = await harness.run(['doctor', '--json']);
    assert.equal(doctor.code, 1);
    const { blockers } = JSON.parse(doctor.stdout) as { blockers: string[] };
    assert.deepEqual(blockers, ['journal']);
  },
);
