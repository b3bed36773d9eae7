import assert from 'node:assert/strict';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { parseJson } from '../base/json.ts';
import { LineReader } from '../host/output/line-reader.ts';
import { OutputFile } from '../host/output/output-file.ts';
import type { HostExit } from '../host/process/process-group.ts';
import { ProcessGroup } from '../host/process/process-group.ts';
import { readOutput } from '../host/output/read-output.ts';
import { systemClock } from '../host/machine/system-clock.ts';
import { AT_TERMINAL } from '../adapters/scripted/scripted.ts';
import type { ScriptedProgram } from '../adapters/scripted/scripted-programs.ts';
import { SCRIPTED_PROGRAMS, scriptedAgent } from './scripted-agents.ts';
import { tempDir } from '../../test/support/temp-dir.ts';

/** Runs an agent to its end in a folder; returns its lines, parsed as JSON if possible. */
async function run(name: ScriptedProgram, args: readonly string[], cwd: string) {
  const reader = new LineReader();
  const lines: string[] = [];
  let stderr = '';
  const group = new ProcessGroup(
    { argv: [...scriptedAgent(name), ...args], cwd, env: {} },
    {
      tag: `agents-test-${process.pid}/${name}`,
      clock: systemClock,
      drainMs: 0,
      onStdout: (chunk) => void lines.push(...reader.push(chunk).map(({ text }) => text)),
      onStderr: (chunk) => void (stderr += Buffer.from(chunk).toString()),
    },
  );
  const exit = await group.ended;
  lines.push(...reader.end().map(({ text }) => text));
  return { exit, stderr, lines: lines.map((line) => parseJson(line) ?? line) };
}

const done: HostExit = { kind: 'code', code: 0 };

describe('scripted agents', () => {
  test('each has a name in the list, and one is what all of them are at a terminal', async () => {
    const folder = dirname(scriptedAgent('crashes')[1] ?? '');
    const names = (await readdir(folder)).map((file) => basename(file, '.ts'));
    assert.deepEqual(names.toSorted(), [...SCRIPTED_PROGRAMS, AT_TERMINAL].toSorted());
  });

  const writers: [name: ScriptedProgram, file: string][] = [
    ['works-in-steps', 'WORK.md'],
    ['lives-in-turns', 'TURNS.md'],
  ];
  for (const [name, file] of writers)
    test(`C2: ${name} writes through no link that a project has put there`, async () => {
      await using folder = await tempDir();
      const victim = join(folder.path, 'victim');
      await writeFile(victim, 'mine\n');
      await symlink('victim', join(folder.path, file));
      const { exit, stderr } = await run(name, [], folder.path);
      assert.deepEqual(exit, { kind: 'code', code: 1 });
      assert.match(stderr, /ELOOP/);
      assert.equal(await readFile(victim, 'utf8'), 'mine\n');
    });

  const stories: [name: ScriptedProgram, exit: HostExit, last: unknown][] = [
    ['asks-a-question', done, { type: 'question', text: 'Which config file?' }],
    ['crashes', { kind: 'code', code: 3 }, { type: 'text', text: 'Let me look at the tests.' }],
    ['dies-mid-write', { kind: 'signal', signal: 'SIGKILL' }, '{"type":"tool","name":"wri'],
    ['exits-zero-without-work', done, { type: 'result', summary: 'All done!' }],
    ['says-429-in-a-diff', done, { type: 'result', summary: 'client.ts now handles 429 and 503' }],
    ['speaks-split-utf8', done, { type: 'text', text: 'naïve — 東京 🚀' }],
    ['one-giant-line', done, { type: 'result', summary: 'read it' }],
    ['writes-nul-bytes', done, { type: 'result', summary: 'printed\0it' }],
  ];
  const troubles: [word: string, exit: HostExit, stderr: RegExp][] = [
    ['limit', { kind: 'code', code: 1 }, /^API Error: 429 /],
    ['network', { kind: 'code', code: 1 }, /^Error: connect ECONNREFUSED/],
    ['memory', { kind: 'signal', signal: 'SIGABRT' }, /JavaScript heap out of memory/],
    ['lie', done, /^$/],
  ];
  for (const [word, exit, stderr] of troubles) {
    test(`works-in-steps meets ${word} once, before a step is written`, async () => {
      await using folder = await tempDir();
      const trouble = join(folder.path, 'trouble');
      await writeFile(trouble, word);
      const met = await run('works-in-steps', ['2', '0', trouble], folder.path);
      assert.deepEqual([met.exit, await readdir(folder.path)], [exit, []]);
      assert.match(met.stderr, stderr);
      const again = await run('works-in-steps', ['2', '0', trouble], folder.path);
      assert.deepEqual(again.lines.at(-1), { type: 'result', summary: '2 steps are done' });
    });
  }

  for (const [name, exit, last] of stories) {
    test(`${name} ends as its name says`, async () => {
      await using folder = await tempDir();
      const ran = await run(name, [], folder.path);
      assert.deepEqual([ran.exit, ran.lines.at(-1)], [exit, last]);
      assert.deepEqual(await readdir(folder.path), []);
    });
  }

  test('crashes complains on stderr', async () => {
    await using folder = await tempDir();
    assert.match((await run('crashes', [], folder.path)).stderr, /^TypeError/);
  });

  test('works-in-steps begins at the beginning, and continues from the steps it finds', async () => {
    await using folder = await tempDir();
    const work = join(folder.path, 'WORK.md');
    await run('works-in-steps', ['2'], folder.path);
    assert.equal(await readFile(work, 'utf8'), 'step 1\nstep 2\n');
    const { exit, lines } = await run('works-in-steps', ['4', '1'], folder.path);
    assert.deepEqual(exit, done);
    assert.deepEqual(lines, [
      { type: 'text', text: 'I see 2 of 4 steps done and continue.' },
      { type: 'tool', name: 'write', path: 'WORK.md' },
      { type: 'text', text: 'step 3 of 4' },
      { type: 'tool', name: 'write', path: 'WORK.md' },
      { type: 'text', text: 'step 4 of 4' },
      { type: 'result', summary: '4 steps are done' },
    ]);
    await writeFile(work, 'step 1\nstep 2\nstep 3\nstep 4\n');
    assert.equal((await run('works-in-steps', ['4'], folder.path)).lines.length, 2);
  });

  test('case 39: floods-stdout is stored in a bounded file, with its beginning and its end', async () => {
    await using folder = await tempDir();
    const output = await OutputFile.open(folder.path, 'output', 100_000);
    const group = new ProcessGroup(
      { argv: [...scriptedAgent('floods-stdout'), '5000000'], cwd: folder.path, env: {} },
      {
        tag: `agents-test-${process.pid}/flood`,
        clock: systemClock,
        onStdout: (chunk) => output.write(chunk),
      },
    );
    assert.deepEqual(await group.ended, done);
    const { bytes, droppedBytes } = await output.close();
    assert.equal(bytes, 5_000_000);
    const text = await readOutput(folder.path, 'output');
    assert.ok(text.length < 100_100 && droppedBytes > 4_900_000);
    assert.ok(text.startsWith('all work and no play all work'));
  });
});
