/** Ctrl-C at a question: the command ends, says what it did not do, and has done nothing. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openTerminal, terminalTool } from '../real-terminal.ts';
import { ClumsyWorld, fingerprint } from './clumsy-world.ts';

const CTRL_C = '\u0003';
/** With `CI` there are no questions. */
const ASKED = { CI: undefined, TERM: 'xterm' };

type Question = {
  readonly act: string;
  readonly args: readonly string[];
  readonly prepare?: (world: ClumsyWorld) => Promise<void> | void;
  /** The last words of the question. */
  readonly asked: RegExp;
  readonly code: number;
  readonly says: RegExp;
};

function untrusted(world: ClumsyWorld): void {
  mkdirSync(join(world.project, '.supervisor'));
  writeFileSync(join(world.project, '.supervisor/config.yaml'), 'attempt: {grace: 1s}\n');
}

const QUESTIONS: readonly Question[] = [
  {
    act: 'init asks what to write',
    args: ['init'],
    asked: /Write this to[^]*Cancel/,
    code: 130,
    says: /Nothing was written\./,
  },
  {
    act: 'a run asks whether the project is trusted',
    args: ['run', 'x', '--agent', 'scripted'],
    prepare: untrusted,
    asked: /Use them\?[^]*Cancel/,
    code: 3,
    says: /Canceled\. Nothing was trusted or started\./,
  },
  {
    act: 'up asks whether the project is trusted',
    args: ['up', '--detach'],
    prepare: untrusted,
    asked: /Use them\?[^]*Cancel/,
    code: 3,
    says: /Canceled\. Nothing was trusted or started\./,
  },
  {
    act: 'runs prune asks whether to delete',
    args: ['runs', 'prune', '--older-than', '0s'],
    prepare: async ({ harness }) => {
      assert.equal((await harness.run(['run', 'x', '--agent', 'scripted'])).code, 0);
    },
    asked: /Delete all of these files\?[^]*No/,
    code: 130,
    says: /Nothing was deleted\./,
  },
];

describe('Ctrl-C at a question', { timeout: 600_000 }, () => {
  for (const { act, args, prepare, asked, code, says } of QUESTIONS)
    test(`${act}: nothing is done, and the command says so`, async (t) => {
      const script = terminalTool(t);
      if (script === undefined) return;
      await using world = await ClumsyWorld.create();
      await prepare?.(world);
      const [before, runs] = [fingerprint(world.project), await world.harness.runs('--all')];
      const terminal = openTerminal(world.harness, script, args, ASKED);
      await terminal.shows(asked);
      terminal.child.stdin?.write(CTRL_C);
      const end = await terminal.ended;
      assert.equal(end.code, code, end.stdout);
      assert.match(end.stdout, says);
      assert.doesNotMatch(end.stdout, /bug in Supervisor|\n\s+at /);
      assert.deepEqual(fingerprint(world.project), before);
      assert.deepEqual(await world.harness.runs('--all'), runs);
    });
});
