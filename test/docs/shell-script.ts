/**
 * The `sh` blocks of one document as one script, so that a later line has the variables of an
 * earlier one.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { CliHarness } from '../e2e/cli-process-harness.ts';
import type { ShellResult } from '../e2e/shell.ts';
import { userEnv } from '../e2e/shell.ts';
import type { Document } from './markdown.ts';
import { checkout } from './markdown.ts';

export type Line = { readonly at: string; readonly command: string; readonly code: number };

/** Lines that can't be run inside a test, and why. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  'npm start': 'sets the checkout up; test/full/fresh-clone.test.ts types it',
  'npm test': 'would run this test again',
  'npm run test:all': 'would run this test again',
  'npm run test:full': 'would run this test again',
  'npm run test:macos': 'needs a Mac',
  'npm run check': 'is the other half of the gate',
  'npm run format': 'changes the checkout',
  'npm run bench': 'measures, so it must run alone',
  'npm run screenshots': 'changes the pictures of the checkout',
  'npm run simulate -- --seeds': 'takes long; test/simulate plays as many worlds as a test can',
};

/** Each command line with its documented exit code: `# exit 1` at its end, else 0. */
export function commandsOf({ path, blocks }: Document): readonly Line[] {
  return blocks
    .filter(({ info }) => info === 'sh')
    .flatMap(({ text, line }) =>
      text.split('\n').map((typed, index) => ({ typed, at: `${path}:${line + index}` })),
    )
    .map(({ typed, at }) => ({
      at,
      command: typed.replace(/^\$ /, '').replace(/(^|\s+)#\s.*$/, ''),
      code: Number(/\s# exit (\d+)$/.exec(typed)?.[1] ?? 0),
    }))
    .filter(({ command }) => command.trim() !== '');
}

/** The entry of NOT_RUN that a line falls under. */
export function exceptionFor({ command }: Line): string | undefined {
  return Object.keys(NOT_RUN).find((name) => command === name || command.startsWith(`${name} `));
}

/**
 * Runs the lines of a document; the first line with another exit code than documented ends the
 * script.
 */
export async function typeAll(harness: CliHarness, lines: readonly Line[]): Promise<ShellResult> {
  const script = lines.filter((line) => exceptionFor(line) === undefined).map(checked);
  // As for a user: scripted agents work in a copy.
  const env = { PATH: shimPath(harness), SUPERVISOR_SCRIPTED_IN_PROJECT: undefined };
  const terminal = harness.open(['bash', '-c', script.join('\n')], '', env);
  return await terminal.ended;
}

function checked({ at, command, code }: Line): string {
  const wrong = `echo "${at}: ended with $code, not ${code}" >&2`;
  return `${command}\ncode=$?; [ $code = ${code} ] || { ${wrong}; exit 99; }`;
}

/** A PATH on which the commands of the documents are those of this checkout. */
export function shimPath(harness: CliHarness): string {
  const bin = join(harness.dir, 'bin');
  mkdirSync(bin);
  const door = `exec '${process.execPath}' '${join(checkout, 'bin/supervisor.js')}' "$@"`;
  const shims = {
    supervisor: door,
    npx: `[ "$1" = supervisor ] || exit 127; shift; ${door}`,
    npm: `PATH="\${PATH#*${delimiter}}"; cd '${checkout}'; exec npm --silent "$@"`,
  };
  for (const [name, text] of Object.entries(shims)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o700);
  }
  return [bin, userEnv()['PATH']].join(delimiter);
}
