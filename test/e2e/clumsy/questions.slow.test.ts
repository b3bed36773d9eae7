/** Ctrl-C and Ctrl-D at a question: the command ends, says what it did not do, and has done nothing. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openTerminal, terminalTool } from '../real-terminal.ts';
import { ClumsyWorld, fingerprint } from './clumsy-world.ts';

const KEYS = { 'Ctrl-C': '\u0003', 'Ctrl-D': '\u0004' };
const [SHOW_CURSOR, HIDE_CURSOR] = ['\u001B[?25h', '\u001B[?25l'];
/** With `CI` there are no questions. */
const ASKED = { CI: undefined, TERM: 'xterm' };

type Question = {
  readonly act: string;
  readonly args: readonly string[];
  readonly prepare?: (world: ClumsyWorld) => Promise<void> | void;
  /** The last words of the question. */
  readonly asked: RegExp;
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
    says: /Canceled\. Nothing was written\./,
  },
  {
    act: 'a run asks whether the project is trusted',
    args: ['run', 'x', '--agent', 'scripted'],
    prepare: untrusted,
    asked: /Use them\?[^]*Cancel/,
    says: /Canceled\. Nothing was trusted or started\./,
  },
  {
    act: 'up asks whether the project is trusted',
    args: ['up', '--detach'],
    prepare: untrusted,
    asked: /Use them\?[^]*Cancel/,
    says: /Canceled\. Nothing was trusted or started\./,
  },
  {
    act: 'runs prune asks whether to delete',
    args: ['runs', 'prune', '--older-than', '0s'],
    prepare: async ({ harness }) => {
      assert.equal((await harness.run(['run', 'x', '--agent', 'scripted'])).code, 0);
    },
    asked: /Delete all of these files\?[^]*No/,
    says: /Canceled\. Nothing was deleted\./,
  },
  {
    act: 'trust asks whether the files are trusted',
    args: ['trust'],
    prepare: untrusted,
    asked: /Trust these files as they are now\?[^]*No/,
    says: /Canceled\. Nothing was trusted\./,
  },
  {
    act: 'apply asks about work that failed',
    args: ['apply', 'last'],
    prepare: async ({ harness }) => {
      const red = ['run', 'x', '--agent', 'scripted', '--gate', 'test ! -f WORK.md'];
      const env = { SUPERVISOR_SCRIPTED_IN_PROJECT: undefined };
      assert.notEqual((await harness.run(red, { env })).code, 0);
    },
    asked: /Apply 1 file anyway\?[^]*No/,
    says: /Canceled\. Nothing was applied\./,
  },
  {
    act: 'approve asks for the secret of an approver',
    args: ['approve', 'last', '--as', 'alice'],
    asked: /The secret of alice:/,
    says: /Canceled\. No decision was sent\./,
  },
];

for (const [name, key] of Object.entries(KEYS))
  describe(`${name} at a question`, { timeout: 600_000 }, () => {
    for (const { act, args, prepare, asked, says } of QUESTIONS)
      test(`${act}: nothing is done, and the command says so`, async (t) => {
        const script = terminalTool(t);
        if (script === undefined) return;
        await using world = await ClumsyWorld.create();
        await prepare?.(world);
        const [before, runs] = [fingerprint(world.project), await world.harness.runs('--all')];
        const terminal = openTerminal(world.harness, script, args, ASKED);
        await terminal.shows(asked);
        terminal.child.stdin?.write(key);
        const end = await terminal.ended;
        assert.equal(end.code, 130, end.stdout);
        assert.match(end.stdout, says);
        assert.ok(
          end.stdout.lastIndexOf(SHOW_CURSOR) > end.stdout.lastIndexOf(HIDE_CURSOR),
          'the cursor stays hidden',
        );
        assert.doesNotMatch(end.stdout, /bug in Supervisor|\n\s+at /);
        assert.deepEqual(fingerprint(world.project), before);
        assert.deepEqual(await world.harness.runs('--all'), runs);
      });
  });
