/** The demo as its viewers see it: the whole of it without a terminal, and what each decision about the commit does. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { PrintLine } from '../../src/cli/demo/agent-scene.ts';
import { DemoEnvironment } from '../../src/cli/demo/demo-environment.ts';
import type { Decision } from '../../src/cli/demo/workflow-scene.ts';
import { WorkflowScene } from '../../src/cli/demo/workflow-scene.ts';
import { processContext } from '../../src/cli/process-context.ts';
import { parse } from '../docs/markdown.ts';
import { eventually } from '../support/eventually.ts';
import { checkout, emptyFolder, node24Env, programPath, run, userEnv } from './shell.ts';

/** What differs from one demo to the next: times, processes, runs, and the id of the task. */
function withoutChance(line: string): string {
  return line
    .replace(/^ *\d+\.\ds/, 'TIME')
    .replaceAll(/\b(kill -9|pid) \d+/g, '$1 PID')
    .replaceAll(/\b[0-9a-f]{10}\b/g, 'RUN')
    .replaceAll(/\bai\/[0-9a-f]{6}-/g, 'ai/TASK-')
    .trimEnd();
}

/** The lines that the README shows of the demo. */
function transcript(): readonly string[] {
  const { blocks } = parse('README.md', readFileSync(join(checkout, 'README.md'), 'utf8'));
  const block = blocks.find(({ text }) => text.includes('Write 8 steps into WORK.md.'));
  return (block?.text ?? '').split('\n').map(withoutChance).filter(Boolean);
}

describe('the demo', { timeout: 600_000 }, () => {
  test('without a terminal shows what the README says, in 80 columns, and presses the key itself', async () => {
    await using bare = await emptyFolder();
    for (const program of ['node', 'git'])
      symlinkSync(programPath(program) ?? '', join(bare.path, program));
    const { code, stdout, stderr } = await run(
      ['node', 'scripts/with-node24.mjs', 'src/cli/demo/main.ts'],
      checkout,
      userEnv({ PATH: bare.path }), // a machine that has no other program
    );
    assert.equal(code, 0, stdout + stderr);
    const lines = stdout.split('\n').map(withoutChance);
    let from = 0;
    for (const line of transcript()) {
      const place = lines.indexOf(line, from);
      assert.ok(place >= 0, `after line ${from}, the demo does not print: ${line}\n${stdout}`);
      from = place + 1;
    }
    assert.ok(from > 0, 'the README has no transcript');
    assert.match(stdout, /this is no terminal, so the demo presses the key a itself/);
    assert.deepEqual(
      stdout.split('\n').filter((line) => line.length > 80),
      [],
    );
  });

  for (const signal of ['SIGHUP', 'SIGTERM'] as const)
    test(`leaves no owner and no folder if ${signal} ends it, as when its terminal is closed`, async () => {
      await using dir = await emptyFolder();
      const main = join(checkout, 'src/cli/demo/main.ts');
      const demo = spawn(process.execPath, [main], { env: { ...node24Env(), TMPDIR: dir.path } });
      let [said, owner] = ['', 0];
      demo.stdout.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        const [, pid] = /\(pid (\d+)\)/.exec(said) ?? [];
        if (pid === undefined || owner !== 0) return;
        owner = Number(pid);
        // A terminal that is closed sends it more than once, and so does a program that ends a group of processes.
        for (let sent = 0; sent < 2; sent += 1) demo.kill(signal);
      });
      const [code] = await once(demo, 'close');
      assert.equal(code, 130, said);
      await eventually('the end of the owner', () => !existsSync(`/proc/${owner}`));
      assert.deepEqual(readdirSync(dir.path), []);
    });

  const decisions: [decision: Decision, last: readonly string[]][] = [
    ['reject', ['supervisor reject RUN --reason "not now"', 'failed: there is no commit']],
    [
      'none',
      [
        'no key was pressed: nothing is approved by itself',
        'supervisor stop RUN',
        'cancelled: there is no commit',
      ],
    ],
  ];
  for (const [decision, last] of decisions)
    test(`makes no commit if the viewer decides: ${decision}`, async () => {
      await using environment = new DemoEnvironment(processContext(), 1, 0);
      await environment.prepare();
      const said: string[] = [];
      const print: PrintLine = (_who, _style, text) => void said.push(withoutChance(text));
      const client = await environment.client();
      const scene = new WorkflowScene(environment, client, print, async () => decision);
      assert.equal(await scene.play(), true, said.join('\n'));
      assert.deepEqual(said.slice(-last.length), last);
    });
});
